// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// --cpu portable|best|LEVEL, which every command takes: what the launcher and the program know of it.

namespace conoscope::app {

/// Says the same where no option does.
inline constexpr const char* kCpuVariable = "CONOSCOPE_CPU";

/// The last value of --cpu LEVEL or --cpu=LEVEL among the words of a command line; null: there is none.
inline const char* cpu_option(int count, const char* const* words) {
  const char* found = nullptr;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--") break;
    if (word == "--cpu" && i + 1 < count) found = words[++i];
    if (word.starts_with("--cpu=")) found = words[i] + 6;
  }
  return found;
}

}  // namespace conoscope::app
