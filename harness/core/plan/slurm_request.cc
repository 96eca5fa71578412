// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/slurm_request.h"

#include <algorithm>
#include <charconv>

namespace conoscope::core {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// The numbers between the colons; empty: one is none, or far too large.
std::vector<std::int64_t> numbers(std::string_view text) {
  std::vector<std::int64_t> out;
  while (true) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + colon, value);
    constexpr std::int64_t kMost = 100'000'000;
    if (error != std::errc() || end != text.data() + colon || value < 0 || value > kMost) return {};
    out.push_back(value);
    if (colon == text.size()) return out;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

bool is_slurm_value(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return is_control(c) || c == ' ' || c == '"' || c == '\'' || c == '\\' || c == '#';
  });
}

bool is_script_line(std::string_view text) {
  return !text.empty() &&
         std::none_of(text.begin(), text.end(), [](char c) { return is_control(c) && c != '\t'; });
}

std::optional<std::int64_t> slurm_seconds(std::string_view text) {
  constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;
  std::int64_t seconds = 0;
  const std::size_t dash = text.find('-');
  if (dash != text.npos) {
    const auto days = numbers(text.substr(0, dash));
    const auto rest = numbers(text.substr(dash + 1));
    if (days.size() != 1 || rest.empty() || rest.size() > 3) return std::nullopt;
    seconds = days[0] * kDay + rest[0] * kHour;
    if (rest.size() > 1) seconds += rest[1] * kMinute;
    if (rest.size() > 2) seconds += rest[2];
  } else {
    const auto parts = numbers(text);
    if (parts.empty() || parts.size() > 3) return std::nullopt;
    if (parts.size() == 3)
      seconds = parts[0] * kHour + parts[1] * kMinute + parts[2];
    else
      seconds = parts[0] * kMinute + (parts.size() == 2 ? parts[1] : 0);
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace conoscope::core
