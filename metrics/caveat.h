// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

namespace conoscope::metrics {

/// One more thing to say of a score.
inline void add_note(std::string& caveat, const std::string& note) {
  if (note.empty()) return;
  if (!caveat.empty()) caveat += "; ";
  caveat += note;
}

/// A number as people read it: three significant digits.
inline std::string short_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

}  // namespace conoscope::metrics
