// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metrics/metric.h"

namespace conoscope::metrics {

/// One source's metrics.
using Declaration = std::vector<Metric> (*)();

/// All that metrics/CMakeLists.txt lists, in the order of the boards.
std::span<const Declaration> declarations();

}  // namespace conoscope::metrics
