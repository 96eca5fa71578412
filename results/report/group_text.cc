// SPDX-License-Identifier: Apache-2.0
#include "results/report/group_text.h"

#include <algorithm>

#include "results/report/embedded.h"

namespace conoscope::results {

GroupText group_text(std::string_view group) {
  GroupText out;
  const std::string_view page = embedded_text("metrics.md");
  const std::string heading = "\n## `" + std::string(group) + "`: ";
  const auto begin = page.find(heading);
  if (begin == page.npos) return out;  // of a plugin
  std::string_view rest = page.substr(begin + heading.size());
  rest = rest.substr(0, rest.find("\n## "));
  for (bool first = true; !rest.empty(); first = false) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (first)
      out.question = line;
    else if (line.starts_with("    "))
      out.formulas.append(line.substr(4)).append("\n");
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return out;
}

}  // namespace conoscope::results
