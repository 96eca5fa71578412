// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "numerics/types.h"

namespace conoscope::datasets::superposition {

using numerics::Index;
using numerics::Matrix;
using numerics::MatrixRef;
using numerics::Vector;

/// How far are directions from being orthogonal and of unit length, and which way is better?
///
///   L = sum_{i != j} <d_i, d_j>^2 + N sum_i (|d_i|^2 - 1)^2
///   dL/dd_i = 4 sum_{j != i} <d_i, d_j> d_j + 4 N (|d_i|^2 - 1) d_i
///
/// directions  N x D. The cost is that of D' D, N D^2: no N x N matrix is made.
/// throws      std::invalid_argument: empty or not finite
///
/// Source: SynthSAEBench, arXiv 2602.14687, orthogonalisation.
struct Orthogonality {
  double loss = 0.0;
  Matrix gradient;
};
Orthogonality orthogonality(const MatrixRef& directions);

/// `steps` of Adam (0.9, 0.999, 1e-8) on this loss, then rows of unit length.
///
/// rate        of Adam, >= 0
/// after_step  is told how many are done
/// throws      std::invalid_argument: as orthogonality(); steps or rate negative
///             std::domain_error: a row has become 0
Matrix orthogonalised(const MatrixRef& directions, Index steps, double rate,
                      const std::function<void(Index)>& after_step = nullptr);

/// max_{j != i} |cos(d_i, d_j)| of each row i, a block of rows at a time.
///
/// directions  N x D, N >= 2, no row 0
/// throws      std::invalid_argument: fewer than two rows, none of width, not finite, or a row is 0
Vector largest_cosines(const MatrixRef& directions);

/// How crowded are the directions? |cos| of all ordered pairs i != j, percentiles by linear
/// interpolation, and N / D. Makes all N (N - 1) numbers: for worlds of a few thousand features.
///
/// throws  std::invalid_argument: as largest_cosines()
///
/// Source: SynthSAEBench, arXiv 2602.14687, superposition metrics.
struct Superposition {
  double mean_max = 0.0;  ///< of largest_cosines()
  double max = 0.0, mean = 0.0, percentile_95 = 0.0, percentile_99 = 0.0;
  double ratio = 0.0;
};
Superposition superposition_stats(const MatrixRef& directions);

}  // namespace conoscope::datasets::superposition
