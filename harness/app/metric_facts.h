// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/core/border/registry.h"
#include "results/formats/table.h"

namespace conoscope::app {

/// What `conoscope metric NAME` prints of each metric, built in or of a plugin: keys and values.
std::map<std::string, results::Table> metric_facts(const core::Registry& registry);

}  // namespace conoscope::app
