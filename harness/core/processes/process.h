#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace conoscope::core {

/// How a child process ended.
struct Exit {
  std::optional<int> code;        ///< it exited
  std::optional<int> signal;      ///< it was killed
  std::uint64_t peak_memory = 0;  ///< bytes resident at most
};

/// Where a child process's output goes; appended to.
struct OutputFiles {
  std::filesystem::path standard_output, standard_error;
};

/// A child process: a fresh executable (never a bare fork: that costs by the memory of the parent),
/// in a process group of its own, output to files, and one pipe on which it reports.
class ChildProcess {
 public:
  /// environment  "NAME=value" entries that are added to, or replace those of, this process
  /// defaults     entries for what is set in neither
  /// throws  std::runtime_error: cannot be started
  ChildProcess(const std::vector<std::string>& command, const OutputFiles& output,
               const std::vector<std::string>& environment,
               const std::vector<std::string>& defaults = {});
  ~ChildProcess();  ///< kills it when it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  int report_fd() const { return report_fd_; }

  /// Complete lines that have arrived on the report pipe, without waiting.
  std::vector<std::string> read_lines();
  /// The other end of the pipe is closed.
  bool closed() const { return closed_; }

  /// How it ended, or nothing while it runs. After closed() it waits a moment for the exit.
  std::optional<Exit> poll_exit();

  std::uint64_t resident_memory() const;
  /// To the whole process group.
  void kill(int signal) const;

 private:
  pid_t pid_ = -1;
  int report_fd_ = -1;
  bool closed_ = false;
  std::string pending_;
  std::optional<Exit> exit_;
};

/// "SIGSEGV, segmentation fault"
std::string signal_text(int signal);

/// The end of a text file: whole lines, at most `bytes`.
std::string tail_of(const std::filesystem::path& file, std::size_t bytes);

}  // namespace conoscope::core
