// SPDX-License-Identifier: Apache-2.0
#include "results/store/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "numerics/sha256.h"

namespace conoscope::results {

namespace {

constexpr std::array<std::string_view, 8> kStatusTexts = {"ok",
                                                          "failed",
                                                          "crashed",
                                                          "timeout",
                                                          "out_of_memory",
                                                          "invalid_output",
                                                          "not_applicable",
                                                          "interrupted"};

std::string reason_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "posinf" : "neginf";
  return "";
}

std::optional<double> finite_or_none(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

std::string_view to_text(Status status) {
  return kStatusTexts.at(static_cast<std::size_t>(status));
}

Status parse_status(std::string_view text) {
  for (std::size_t i = 0; i < kStatusTexts.size(); ++i)
    if (kStatusTexts[i] == text) return static_cast<Status>(i);
  throw std::invalid_argument("parse_status: \"" + std::string(text) + "\" is not a status");
}

bool is_reason(std::string_view text) {
  constexpr std::string_view kReasons[] = {"nan",       "posinf",         "neginf",
                                           "undefined", "not_applicable", "error"};
  return std::find(std::begin(kReasons), std::end(kReasons), text) != std::end(kReasons);
}

EnvironmentRow environment_row(std::string text) {
  return {numerics::make_key("environment", text), std::move(text)};
}

ScoreRow score_row(std::string metric, double value, std::string message) {
  return {std::move(metric), finite_or_none(value), reason_of(value), std::move(message)};
}

SampleScoreRow sample_score_row(std::string metric, std::int64_t part, double value) {
  return {std::move(metric), part, finite_or_none(value), reason_of(value)};
}

std::int64_t attempt_number() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto milliseconds =
      std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::int64_t fraction = ((milliseconds % 1000) + 1000) % 1000;
  const std::time_t seconds = static_cast<std::time_t>((milliseconds - fraction) / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, static_cast<int>(fraction));
  return text.data();
}

}  // namespace conoscope::results
