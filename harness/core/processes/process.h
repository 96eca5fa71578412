// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
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

/// A child of this process that somebody else may have made.
struct StartedProcess {
  pid_t pid = -1;
  int report_fd = -1;  ///< this process's end of what it reports on
};

/// A fresh executable (a bare fork would cost by the memory of this process), which has `report_end`
/// as kReportFd and no other file of this process. In a session of its own and without input, unless
/// the names of `output` are empty: then it shares this process's input, output, session and terminal.
///
/// environment  "NAME=value", all that it gets
/// throws  std::system_error: cannot be started
pid_t spawn(const std::vector<std::string>& command, const OutputFiles& output,
            const std::vector<std::string>& environment, int report_end);

/// A child process that reports in lines. At its end, and at this object's, all that it has started
/// ends with it.
class ChildProcess {
 public:
  /// What spawn() makes, with a pipe on which it reports.
  ChildProcess(const std::vector<std::string>& command, const OutputFiles& output,
               const std::vector<std::string>& environment);
  /// One that is there already, in a session of its own.
  explicit ChildProcess(StartedProcess started);
  /// A fork of this process, which must be small and have one thread. It has this process's input
  /// and output, both ends can be read from and written to, and it dies with this process. `body`
  /// runs in it and must not return; kReportFd is its end.
  ///
  /// throws  std::system_error: cannot be started
  explicit ChildProcess(const std::function<void()>& body);
  ~ChildProcess();  ///< kills it when it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  int report_fd() const { return report_fd_; }

  /// Complete lines that have arrived on the report pipe, without waiting; at most about 1 MiB, and
  /// what comes after that with the next call.
  std::vector<std::string> read_lines();
  /// The other end of the pipe is closed, or what came is no line.
  bool closed() const { return closed_; }
  /// More than kLongestLine bytes came without an end of the line. Nothing more is read.
  bool flooded() const { return flooded_; }
  static constexpr std::size_t kLongestLine = 1 << 20;

  /// How it ended, or nothing while it runs. After closed() it waits a moment for the exit.
  std::optional<Exit> poll_exit();
  /// Waits for the end.
  Exit wait();

  /// What it and all that it has started hold; see held_by().
  std::uint64_t memory() const;
  /// SIGKILL goes to all that it has started as well, and any other signal, too.
  void kill(int signal) const;

 private:
  pid_t pid_ = -1;
  int report_fd_ = -1;
  bool own_session_ = true;
  bool closed_ = false, flooded_ = false;
  std::string pending_;
  std::optional<Exit> exit_;
};

/// What exec and its like take: pointers to these texts, then null. They live as long as the texts.
std::vector<char*> exec_list(const std::vector<std::string>& texts);

/// "SIGSEGV, segmentation fault"
std::string signal_text(int signal);

/// The end of a text file: whole lines, at most `bytes`.
std::string tail_of(const std::filesystem::path& file, std::size_t bytes);

}  // namespace conoscope::core
