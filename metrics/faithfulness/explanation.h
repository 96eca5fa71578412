#pragma once

#include <string_view>

#include "metrics/views.h"

namespace conoscope::metrics::detail {

/// The number of outputs an explanation speaks of.
Index explained_outputs(const Explanation& explanation);

/// K_c for each output.
IndexVector concepts_per_output(const Explanation& explanation);

/// Offsets, counts and finiteness of the CAVs and importances; throws std::invalid_argument.
void require_explanation(std::string_view metric, const Explanation& explanation);

/// surf_weight of a linear explanation that has passed require_explanation.
Matrix fold(const Explanation& explanation);

}  // namespace conoscope::metrics::detail
