#pragma once

#include <string_view>

// --cpu portable|best|LEVEL, which every command takes: what the launcher and the program know of it.

namespace conoscope::app {

/// Says the same where no option does.
inline constexpr const char* kCpuVariable = "CONOSCOPE_CPU";

/// The value of --cpu LEVEL or --cpu=LEVEL among the words of a command line; null: it is not there.
inline const char* cpu_option(int count, const char* const* words) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--") break;
    if (word == "--cpu" && i + 1 < count) return words[i + 1];
    if (word.starts_with("--cpu=")) return words[i] + 6;
  }
  return nullptr;
}

}  // namespace conoscope::app
