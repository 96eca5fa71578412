// SPDX-License-Identifier: Apache-2.0
#pragma once

// How datasets write a list of names into a text.

#include <string>
#include <vector>

namespace conoscope::datasets {

/// One line of a .csv file, in which names have no quotes and line ends.
inline std::string list_text(const std::vector<std::string>& names) {
  std::string out;
  for (std::string name : names) {
    for (char& c : name) c = c == '\t' || c == '\n' || c == '\r' ? ' ' : c == '"' ? '\'' : c;
    const bool quotes = name.find(',') != name.npos;
    out += (out.empty() ? "" : ",") + (quotes ? '"' + name + '"' : name);
  }
  return out;
}

}  // namespace conoscope::datasets
