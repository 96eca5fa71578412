// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace conoscope::app {

/// A surrogate's measures stay together; those of plugins come last.
std::vector<std::string> in_catalogue_order(const std::vector<std::string>& metrics);

/// As results::can_be_judged(). A plugin's metric counts as judging.
bool can_be_judged(const std::string& metric);

}  // namespace conoscope::app
