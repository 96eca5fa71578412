// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/factors/factor_levels.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// A partition of samples or cells: the number of the group that each belongs to.
struct Grouping {
  IndexVector group;
  Index groups = 1;
};

/// Groups of equal levels in the chosen factors, numbered in lexicographic order of those levels.
Grouping group_by(const std::vector<std::vector<std::int32_t>>& levels,
                  const std::vector<std::vector<double>>& values, Index members,
                  const IndexVector& chosen);

/// What interventional robustness needs of a sample: one row per observed combination of factor
/// values (a cell), its number of samples and their mean code. Built once, asked often.
struct FactorCells {
  Index samples = 0;                              ///< N
  std::vector<std::vector<double>> values;        ///< [factor]: its distinct values, ascending
  std::vector<std::vector<std::int32_t>> levels;  ///< [factor][cell]
  Vector count;                                   ///< n(g)
  /// zbar(g) minus `origin`: exactly 0 in a latent that is constant.
  Matrix centred_mean;
  Eigen::RowVectorXd origin;   ///< the first sample's code
  std::vector<bool> constant;  ///< [latent]: max == min over the samples

  Index cells() const { return count.size(); }
  Index factors() const { return static_cast<Index>(values.size()); }
  Index latents() const { return centred_mean.cols(); }
};

/// The cells of a sample, in lexicographic order of the factors' values; O(N).
///
/// codes    Z, N x K': the mean codes of an encoder.
/// factors  G, N x K: the generative factors' values. Continuous ones have one sample per cell:
///          bring them into bins first (see equal_width_bins).
/// throws   std::invalid_argument: no rows, no columns, differing numbers of rows, an entry not
///          finite
FactorCells factor_cells(const MatrixRef& codes, const MatrixRef& factors);

}  // namespace conoscope::metrics
