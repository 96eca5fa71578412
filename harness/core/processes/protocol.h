#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
//   done     <count>                the completion record; without it the worker has crashed,
//                                   whatever its exit code

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
  void done(std::size_t count) const;

 private:
  void send(const std::vector<std::string>& fields) const;

  int fd_;
};

/// The supervisor's end: all that one worker has reported so far.
struct Reports {
  std::string step = "start";  ///< nothing reported yet
  double progress = 0;
  bool done = false;
  std::optional<std::pair<results::Status, std::string>> fault;
  std::vector<results::ScoreRow> scores;
  std::vector<results::SampleScoreRow> parts;

  /// Takes in one line, without its end. A plugin can write to any descriptor: a line that says
  /// nothing known is passed over, and one that garbles a score or a part, or gives it twice, is a
  /// fault.
  void take(std::string_view line);

 private:
  void garbled(std::string_view line);

  std::set<std::pair<std::string, std::int64_t>> seen_;  ///< parts; a score has -1
};

std::string make_line(const std::vector<std::string>& fields);
std::vector<std::string> split_line(std::string_view line);

}  // namespace conoscope::core
