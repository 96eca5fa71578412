// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "numerics/types.h"

namespace conoscope::numerics {

/// The softmax of each row of n x C scores, C >= 1: p_c = exp(s_c - max s) / sum_k exp(s_k - max s), so
/// that no score is too large. Of a score of -inf the probability is 0; NaN or +inf makes its row NaN.
///
/// Equal rows get equal bits wherever they stand: an exponential or a sum of several entries at once
/// would begin where the row's address allows it.
inline Matrix softmax(Matrix scores) {
  for (Index i = 0; i < scores.rows(); ++i) {
    const double top = scores.row(i).maxCoeff();
    double total = 0.0;
    for (double& score : scores.row(i)) total += score = std::exp(score - top);
    for (double& score : scores.row(i)) score /= total;
  }
  return scores;
}

}  // namespace conoscope::numerics
