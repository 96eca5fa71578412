#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/processes/process.h"

namespace conoscope::core {

// To load this program anew for every worker costs more than most of a small worker's own work. So one
// process, the starter, loads it once and waits; each worker is a fork of it, made as a child of the
// process that asked, which waits for it, watches and kills it as it would any other.

/// The worker that a starter is asked for.
struct WorkerStart {
  std::filesystem::path job;             ///< its job file
  OutputFiles output;                    ///< appended to
  std::vector<std::string> environment;  ///< "NAME=value", beside what the starter itself was given
};

/// A process that forks workers, for as long as this object lives. From one thread.
class Starter {
 public:
  /// executable   the command that knows `worker`
  /// environment  "NAME=value", all that it gets, and what a program reads as it is loaded
  /// patience     how long it may take to start a worker, before it is given up as one that somebody
  ///              has stopped
  /// throws       std::system_error: cannot be started
  Starter(std::string executable, std::vector<std::string> environment,
          std::chrono::milliseconds patience = std::chrono::seconds(5));
  ~Starter();  ///< ends it; its workers stay
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  bool is_for(const std::string& executable, const std::vector<std::string>& environment) const {
    return executable == executable_ && environment == environment_;
  }

  /// The worker, as a child of this process in a session of its own.
  ///
  /// returns nothing: none was started, and this object is of no use any more; it has ended, did not
  ///         answer, or is not able()
  /// throws  std::system_error: the output files cannot be opened, or no process be made;
  ///         std::runtime_error: it ended right after it had started one
  std::optional<StartedProcess> start(const WorkerStart& wanted);
  /// False once it was found that this kernel lets no process fork so, this one or another.
  bool able() const { return able_; }

 private:
  void end();

  std::string executable_;
  std::vector<std::string> environment_;
  pid_t pid_ = -1;
  int socket_ = -1;
  bool able_ = true;
};

/// What `conoscope worker` is given in place of a job file to be a starter: as long as a job file's
/// name may be, for each fork writes its own there, which is what `ps` shows.
const std::string& starter_argument();

/// The starter's own life: forks `work` for each job that it is asked for, until its other end is
/// closed. `argument` is where its command line holds starter_argument().
[[noreturn]] void serve_starts(char* argument,
                               const std::function<void(const std::filesystem::path&)>& work);

}  // namespace conoscope::core
