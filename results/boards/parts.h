// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/store/store.h"

namespace conoscope::results {

/// The parts of one subject's scores of a metric, by seed, then part; a part without a value is not a
/// number.
using SeedParts = std::map<std::int64_t, std::map<std::int64_t, double>>;

/// By subject; what has no parts is not there, and controls are left out.
std::map<BoardSubject, SeedParts> seed_parts(Store& store, const std::string& run,
                                             const std::string& metric);

/// By part, the values of the seeds that have one.
using Parts = std::map<std::int64_t, std::vector<double>>;

/// The same by part.
std::map<BoardSubject, Parts> parts_of(Store& store, const std::string& run,
                                       const std::string& metric);

}  // namespace conoscope::results
