// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "numerics/types.h"

namespace conoscope::testing {

inline numerics::Vector values(std::initializer_list<double> list) {
  numerics::Vector out(static_cast<numerics::Index>(list.size()));
  std::copy(list.begin(), list.end(), out.begin());
  return out;
}

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace conoscope::testing
