// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace conoscope::results {

/// What docs/metrics.md says of a group: the question that its heading asks, and its formulas, which
/// are indented by four spaces there. Empty for the group of a plugin.
struct GroupText {
  std::string question, formulas;
};

GroupText group_text(std::string_view group);

}  // namespace conoscope::results
