// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// How do the representations of concepts correlate with each other, and the concepts themselves?
///
///   r_ij = cov(c_hat_i, c_hat_j) / (sd(c_hat_i) sd(c_hat_j)),   truth: the same of the annotations
///
/// NaN where one of the two is constant; truth: NaN besides where concepts have no names. Scalar
/// scores, or the probabilities of vectors. At most 16 concepts.
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, Fig. 1.
Summary concept_correlation();

}  // namespace conoscope::metrics::declare
