// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// How well is each concept predicted by the one representation that predicts it best?
///
///   1/k sum_j max_i accuracy of a helper network that predicts concept j from representation i
///
/// Networks, their training and the split are those of purity_matrix; accuracy on the test part at
/// probability 1/2. One representation may be the best of several concepts.
///
/// c_hat      n x (k' * width): representation i has columns i*width ... i*width+width-1
/// concepts   n x k of 0 and 1, k >= 2
/// returns    k' x k accuracies, in [0, 1]
/// throws     std::invalid_argument: shapes that do not fit, concepts not 0 or 1, k < 2, n < 2, an
///            entry not finite
///            std::domain_error: a concept that is constant
///
/// Source: Yeh et al., NeurIPS 2020 (alignment), as listed in Table A1 of Espinosa Zarlenga et al.,
/// AAAI 2023; which classifier predicts is open there, and is OIS's here.
Matrix accuracy_matrix(const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                       std::uint64_t seed = 0);

namespace declare {
/// alignment_accuracy; parts: the accuracy of each concept's best representation.
std::vector<Metric> alignment_accuracy();
}  // namespace declare

}  // namespace conoscope::metrics
