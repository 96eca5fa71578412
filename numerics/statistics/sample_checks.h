#pragma once

#include <string_view>

#include "numerics/types.h"

namespace conoscope::numerics {

/// At least `least` values, all finite. throws std::invalid_argument with function, argument,
/// value.
void require_sample(std::string_view function, std::string_view argument, const VectorRef& values,
                    Index least);

/// Two samples of one length, each as require_sample wants it.
void require_pairs(std::string_view function, const VectorRef& a, const VectorRef& b, Index least);

/// Sum of squared deviations from the mean; exactly 0 where all values are equal, which the mean's
/// own rounding would otherwise hide.
double squared_deviations(const VectorRef& values);

}  // namespace conoscope::numerics
