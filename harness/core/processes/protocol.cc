// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/protocol.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>

#include "harness/core/write_all.h"

namespace conoscope::core {

namespace {

// Not printf and strtod: they follow the locale, which a plugin may set, and a comma for a point
// would cut a number off unnoticed.
std::string hex_text(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::hex);
  return {buffer, end.ptr};
}

/// Nullopt: the text is something else than one number.
template <typename T, typename... Format>
std::optional<T> parsed(const std::string& text, Format... format) {
  T value{};
  const char* const last = text.data() + text.size();
  const auto end = std::from_chars(text.data(), last, value, format...);
  if (end.ec != std::errc() || end.ptr != last) return std::nullopt;
  return value;
}

std::optional<double> parse_hex(const std::string& text) {
  return parsed<double>(text, std::chars_format::hex);
}

/// A fault that says it is none is one all the same.
results::Status status_of(const std::string& word) {
  try {
    const auto status = results::parse_status(word);
    return status == results::Status::ok ? results::Status::failed : status;
  } catch (const std::invalid_argument&) {
    return results::Status::failed;
  }
}

// Names, stages and messages of plugins: what is longer is cut off.
constexpr std::size_t kLongestField = 1 << 14;

}  // namespace

void Reporter::send(const std::vector<std::string>& fields) const {
  std::vector<std::string> bounded = fields;
  for (auto& field : bounded) field.resize(std::min(field.size(), kLongestField));
  const std::string line = make_line(bounded);
  if (!write_all(fd_, line.data(), line.size())) ::_exit(1);  // the supervisor is gone
}

void Reporter::stage(const std::string& word) const { send({"stage", word}); }

void Reporter::progress(double done) const { send({"progress", hex_text(done)}); }

void Reporter::score(const results::ScoreRow& score) const {
  send({"score", score.metric, hex_text(score.value.value_or(0.0)), score.reason, score.message});
}

void Reporter::part(const std::string& metric, std::size_t index, double value) const {
  send({"part", metric, std::to_string(index), hex_text(value)});
}

void Reporter::fault(results::Status status, const std::string& message) const {
  send({"fault", std::string(results::to_text(status)), message});
}

void Reporter::ended(const Exit& exit) const {
  if (exit.signal)
    send({"ended", "signal", std::to_string(*exit.signal)});
  else
    send({"ended", "code", std::to_string(exit.code.value_or(-1))});
}

void Reporter::done() const { send({"done"}); }

void Reports::take(std::string_view line) {
  const auto fields = split_line(line);
  const auto field = [&](std::size_t i) { return i < fields.size() ? fields[i] : ""; };
  if (fields[0] == "stage")
    step = field(1);
  else if (fields[0] == "progress")
    progress = std::max(progress, std::min(parse_hex(field(1)).value_or(progress), 1.0));
  else if (fields[0] == "score") {
    const auto value = parse_hex(field(2));
    if (!value || !(field(3).empty() || results::is_reason(field(3))))
      return refuse("what is no score", line);
    if (asked_.count(field(1)) == 0) return refuse("a score that nobody asked for", line);
    if (step != "score") return refuse("a score before it was due", line);
    if (!next_part_.emplace(field(1), 0).second) return refuse("a score twice", line);
    scores.push_back(field(3).empty() ? results::score_row(field(1), *value)
                                      : results::ScoreRow{field(1), std::nullopt, field(3)});
    scores.back().message = field(4);
  } else if (fields[0] == "part") {
    const auto index = parsed<std::int64_t>(field(2));
    const auto value = parse_hex(field(3));
    const auto next = next_part_.find(field(1));
    if (!index || !value || next == next_part_.end() || *index < next->second)
      return refuse("what is no part of a score, or one twice", line);
    // The next index must be a number, too.
    if (parts.size() == kMostParts || *index >= static_cast<std::int64_t>(kMostParts))
      return refuse("too many parts of scores", line);
    next->second = *index + 1;
    parts.push_back(results::sample_score_row(field(1), *index, *value));
  } else if (fields[0] == "fault") {
    if (!fault) fault = {status_of(field(1)), field(2)};
  } else if (fields[0] == "ended") {
    const auto number = parsed<int>(field(2));
    plugin.emplace();
    (field(1) == "signal" ? plugin->signal : plugin->code) = number.value_or(-1);
  } else if (fields[0] == "done")
    done = true;
}

void Reports::refuse(std::string_view why, std::string_view line) {
  if (fault) return;
  fault = {results::Status::invalid_output,
           "reported " + std::string(why) + ": " + std::string(line.substr(0, 200))};
}

std::string make_line(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += '\t';
    for (const char c : fields[i])
      if (c == '\t')
        out += "\\t";
      else if (c == '\n')
        out += "\\n";
      else if (c == '\\')
        out += "\\\\";
      else
        out += c;
  }
  return out + '\n';
}

std::vector<std::string> split_line(std::string_view line) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t')
      out.emplace_back();
    else if (line[i] == '\\' && i + 1 < line.size())
      out.back() += line[++i] == 't' ? '\t' : line[i] == 'n' ? '\n' : line[i];
    else
      out.back() += line[i];
  }
  return out;
}

}  // namespace conoscope::core
