#pragma once

#include <cstddef>
#include <string_view>

namespace conoscope::core {

inline constexpr std::size_t kMostTomlBytes = 1 << 20;  ///< of a run file or a plugin's metadata
inline constexpr int kMostKeyParts = 32;                ///< of a dotted key

/// The line of the first dotted key with more parts than that; 0: there is none. toml++ goes one call
/// deeper for each part, so that a key of fifty thousand ends the process.
inline std::size_t line_of_deep_key(std::string_view text) {
  std::size_t line = 1;
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {  // a string: to its end
      const bool many_lines = text.substr(i, 3) == (c == '"' ? "\"\"\"" : "'''");
      const std::string_view end = many_lines ? text.substr(i, 3) : text.substr(i, 1);
      i += end.size();
      while (i < text.size() && text.substr(i, end.size()) != end) {
        if (text[i] == '\n' && !many_lines) break;
        line += text[i] == '\n';
        i += c == '"' && text[i] == '\\' ? 2 : 1;
      }
      if (many_lines) i += 2;
      if (i < text.size() && text[i] == '\n') --i;
      continue;
    }
    if (c == '#')
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    if (c == '\n') ++line;
    if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') dots = 0;
    if (c == '.' && ++dots >= kMostKeyParts) return line;
  }
  return 0;
}

}  // namespace conoscope::core
