// SPDX-License-Identifier: Apache-2.0
#pragma once

// The built `conoscope`, run as a person or a batch system runs it: as a process.

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace conoscope::testing {

/// How a process ended and what it said.
struct Ended {
  int code = -1;   ///< exit code; -1: a signal ended it
  int signal = 0;  ///< 0: it exited
  double seconds = 0;
  std::string out, err;
};

/// A running process. Killed when it goes out of scope.
class Process {
 public:
  ~Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) = delete;

  bool running();
  void send(int signal) const;
  /// What it wrote to stderr so far.
  std::string err() const;
  /// Waits until stderr holds the text. False: it ended, or the time was over, without it.
  bool wait_for_err(const std::string& text, double seconds);
  /// throws  std::runtime_error: still running after so many seconds; it is killed then
  Ended wait(double seconds);

 private:
  friend class Command;
  struct State;
  explicit Process(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A call of a program with an environment that is free of the user's own settings: nothing that
/// begins with CONOSCOPE_ or XDG_ is handed on.
class Command {
 public:
  explicit Command(std::vector<std::string> words);

  Command& set(const std::string& name, const std::string& value);
  /// Permissions bind it even where the tests run as root, whom they otherwise do not stop.
  Command& obey_permissions();

  Process start() const;
  Ended run(double seconds = 120) const;

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::string> environment_;
  bool obey_permissions_ = false;
};

/// The conoscope of this build.
std::filesystem::path built_conoscope();

/// Processes whose command line holds the text, this one left out.
std::vector<pid_t> processes_with(const std::string& text);
/// The same, after they had time to go.
std::vector<pid_t> processes_left(const std::string& text, double seconds);

/// A file system of so many bytes of its own at `folder`, until it goes out of scope.
class SmallDisk {
 public:
  SmallDisk(const std::filesystem::path& folder, std::size_t bytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Empty: it is there. Else why this machine does not allow it.
  const std::string& refusal() const { return refusal_; }
  /// Writes a file until so many bytes (at most a page more) are left.
  void fill_up_to(std::size_t bytes_left) const;
  void empty_again() const;

 private:
  std::filesystem::path folder_;
  std::string refusal_;
};

}  // namespace conoscope::testing
