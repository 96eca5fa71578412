// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// How much does each representation go along with each concept?
///
///   nu_ij = max over the features d of representation i of |Pearson(c_hat_id, c_j)|
///
/// c_hat      n x (k' * width), see purity_matrix.   concepts  n x k.   n >= 2
/// signed_correlation  the largest correlation instead of the largest absolute one: what the
///            reference code has for representations of several features
/// returns    k' x k, in [0, 1] (signed: [-1, 1]); 0 where the representation or the concept is
///            constant, so that it enters no niche
/// throws     std::invalid_argument: shapes that do not fit, n < 2, an entry not finite
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, Sec. 4 (concept nicher).
Matrix concept_nicher(const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                      bool signed_correlation = false);

}  // namespace conoscope::metrics
