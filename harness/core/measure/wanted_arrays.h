// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/artifacts/artifact.h"
#include "metrics/metric.h"

namespace conoscope::core {

// Between what a user has, arrays, and what a metric needs, views.

/// The views that the arrays of a loaded artifact make.
///
/// trained      there is a training split
/// explanation  there is an explanation, of the files or one that was fitted to their head view
std::vector<std::string> views_of_arrays(const ArrayBag& arrays, bool trained, bool explanation);

/// What would meet a need, in words: "codes", "activations, head_weight and head_bias".
std::string what_brings(std::string_view need);

}  // namespace conoscope::core
