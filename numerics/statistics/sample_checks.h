// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "numerics/types.h"

namespace conoscope::numerics {

/// For functions that know nothing of Eigen.
inline std::span<const double> as_span(const VectorRef& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

/// At least `least` values, all finite. throws std::invalid_argument with function, argument,
/// value.
void require_sample(std::string_view function, std::string_view argument, const VectorRef& values,
                    Index least);

/// Two samples of one length, each as require_sample wants it.
void require_pairs(std::string_view function, const VectorRef& a, const VectorRef& b, Index least);

}  // namespace conoscope::numerics
