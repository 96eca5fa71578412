// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/processes/process.h"
#include "results/store/rows.h"

namespace conoscope::core {

// What a worker tells its supervisor while it works, a line each: a word and its fields,
// tab-separated, with \t, \n and \\ escaped.
//
//   stage    <word>                 what it is doing now: load, fit, save, score, ...
//   progress <done in [0, 1]>
//   score    <name> <value as hexadecimal floating point> <reason> <message>
//   part     <name> <index> <value>
//   fault    <status> <message>     why there is no result
//   ended    <code or signal> <n>   so ended the process that ran the plugin
//   done                            the completion record; without it the worker has crashed,
//                                   whatever its exit code
//
// Plugins run in processes of their own and cannot reach this channel (border/plugin_process.h).

/// The file descriptor on which a worker reports.
inline constexpr int kReportFd = 3;

/// The worker's end: each call sends one line. Where nobody listens any more, the process ends.
class Reporter {
 public:
  explicit Reporter(int fd = kReportFd) : fd_(fd) {}

  void stage(const std::string& word) const;
  void progress(double done) const;
  void score(const results::ScoreRow& score) const;
  void part(const std::string& metric, std::size_t index, double value) const;
  void fault(results::Status status, const std::string& message) const;
  void ended(const Exit& exit) const;
  void done() const;

 private:
  void send(const std::vector<std::string>& fields) const;

  int fd_;
};

/// The other end: all that one process has reported so far.
class Reports {
 public:
  /// asked  the scores that are accepted, once each, from the stage "score" on
  explicit Reports(std::set<std::string> asked = {}) : asked_(std::move(asked)) {}

  std::string step = "start";  ///< nothing reported yet
  double progress = 0;         ///< never falls, nor goes beyond 1
  bool done = false;
  std::optional<std::pair<results::Status, std::string>> fault;
  std::optional<Exit> plugin;  ///< how the plugin's process ended, when it did so on its own
  std::vector<results::ScoreRow> scores;
  std::vector<results::SampleScoreRow> parts;

  /// More parts than these are a fault: they are held in memory.
  static constexpr std::size_t kMostParts = 4'000'000;

  /// Takes in one line, without its end. A line that says nothing known is passed over. One that
  /// garbles a score or a part, gives it twice, gives what nobody asked for, or gives it before its
  /// stage has begun, is a fault.
  void take(std::string_view line);

 private:
  void refuse(std::string_view why, std::string_view line);

  std::set<std::string> asked_;
  std::map<std::string, std::int64_t> next_part_;  ///< of each score that was given
};

std::string make_line(const std::vector<std::string>& fields);
std::vector<std::string> split_line(std::string_view line);

}  // namespace conoscope::core
