// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::core {

inline constexpr std::size_t kMostTomlBytes = 1 << 20;  ///< of a run file or a plugin's metadata
inline constexpr int kMostKeyParts = 32;                ///< of a dotted key

/// Of a string or a comment that begins at i, its last character; of anything else, i.
inline std::size_t end_of_aside(std::string_view text, std::size_t i) {
  const char c = text[i];
  if (c == '#') return std::min(text.find('\n', i), text.size()) - 1;
  if (c != '"' && c != '\'') return i;
  const bool many_lines = text.substr(i, 3) == (c == '"' ? "\"\"\"" : "'''");
  const std::string_view end = text.substr(i, many_lines ? 3 : 1);
  for (i += end.size(); i < text.size(); i += c == '"' && text[i] == '\\' ? 2 : 1) {
    if (text.substr(i, end.size()) == end) return i + end.size() - 1;
    if (text[i] == '\n' && !many_lines) return i - 1;
  }
  return text.size() - 1;
}

/// Counted from 1.
inline std::size_t line_of(std::string_view text, std::size_t i) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, i), '\n'));
}

/// The line of the first dotted key with more parts than that; 0: there is none. toml++ goes one call
/// deeper for each part, so that a key of fifty thousand ends the process.
inline std::size_t line_of_deep_key(std::string_view text) {
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::size_t end = end_of_aside(text, i); end > i) {
      i = end;
      continue;
    }
    const char c = text[i];
    if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') dots = 0;
    if (c == '.' && ++dots >= kMostKeyParts) return line_of(text, i);
  }
  return 0;
}

/// The numbers of a text that are beyond the range of double, as 1e-400, which toml++ takes for 0.
inline std::vector<std::string_view> numbers_beyond_double(std::string_view text) {
  // Those of keys and of other bases, too: a word is taken whole, or not at all.
  constexpr std::string_view kOfWord =
      "0123456789+-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::size_t end = end_of_aside(text, i); end > i) {
      i = end;
      continue;
    }
    const std::string_view found =
        text.substr(i, std::min(text.find_first_not_of(kOfWord, i), text.size()) - i);
    if (found.empty()) continue;
    i += found.size() - 1;
    std::string plain;
    for (const char c : found.substr(found[0] == '+' ? 1 : 0))
      if (c != '_') plain += c;
    double value = 0.0;
    const auto [stop, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (error == std::errc::result_out_of_range && stop == plain.data() + plain.size())
      out.push_back(found);
  }
  return out;
}

inline std::string beyond_double_text(std::string_view number) {
  return std::string(number) + " is beyond the range of float64 (2.3e-308 to 1.7e308)";
}

}  // namespace conoscope::core
