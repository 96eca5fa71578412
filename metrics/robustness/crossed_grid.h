// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// How many values each factor has, if the rows are exactly all combinations, once each, in order
/// with the last factor changing fastest (the values of a factor in any order); else nothing. Ends
/// at the first row that does not fit.
std::optional<IndexVector> crossed_grid(const MatrixRef& factors);

/// Sum, smallest and largest code of every value of every factor on such a grid.
struct GridExtremes {
  /// Rows: values of factor 0, then of factor 1, ...; columns: latents.
  Matrix sum, low, high;
  IndexVector first_row;  ///< of every factor
};

/// One pass over the codes. Entries that are not finite make sums that are not.
GridExtremes grid_extremes(const MatrixRef& codes, const IndexVector& extents);

}  // namespace conoscope::metrics::detail
