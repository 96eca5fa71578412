// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

/// A caveat: "1 concept left out: WHY", "3 concepts left out: WHY".
inline std::string left_out(Index count, std::string_view what, std::string_view why) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s") +
         " left out: " + std::string(why);
}

/// The values of those that were not left out, at their own places, and NaN between them.
///
/// gaps  the places of those that were, ascending
inline std::vector<double> with_gaps(std::span<const double> values, const IndexVector& gaps) {
  std::vector<double> out(values.begin(), values.end());
  for (const Index gap : gaps)
    out.insert(out.begin() + gap, std::numeric_limits<double>::quiet_NaN());
  return out;
}

}  // namespace conoscope::metrics
