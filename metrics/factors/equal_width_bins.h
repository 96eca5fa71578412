// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

using IndexMatrix = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Which of B equally wide bins between a column's smallest and largest value is a value in?
///
///   edge_k = k (max - min) / B + min,  k = 0 ... B-1        bin = #{k : edge_k <= x} - 1
///
/// values   n x m, columns binned each for itself.   bins  B >= 1.
/// returns  n x m in 0 ... B-1: bins are open to the right, the last one is closed. A constant
///          column is one bin (its range is widened by 0.5 to both sides).
/// throws   std::invalid_argument: bins < 1, no rows, an entry not finite
///
/// Source: the rule of numpy's histogram, which disentanglement_lib discretises by.
IndexMatrix equal_width_bins(const MatrixRef& values, Index bins);

}  // namespace conoscope::metrics
