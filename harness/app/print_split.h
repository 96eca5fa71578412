// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/plan/split.h"
#include "results/formats/format.h"

namespace conoscope::app {

/// Prints a row for each shard that has work: cells, how many of them are to do, and where something
/// is recorded what those will take; then every dataset and model that several shards make.
///
/// todo     indices of plan.cells, ascending
/// seconds  by component key, as recorded; may be empty
void print_split(const core::Plan& plan, const core::Split& split,
                 const std::vector<std::size_t>& todo, const std::map<std::string, double>& seconds,
                 results::Format format);

}  // namespace conoscope::app
