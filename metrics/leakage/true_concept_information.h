// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace conoscope::metrics {

struct Metric;

namespace declare {
/// mi_true_ic and mi_true_ct: what ctl and icl take off, of the annotated concepts themselves.
///
///   mi_true_ic = mean over pairs of    I(c_i; c_j) / sqrt(H(c_i) H(c_j))
///   mi_true_ct = mean over concepts of I(c_i; y) / H(y)
///
/// by mi_discrete, on the samples judged; parts: pairs in the order (0,1), (0,2), ..., concepts. A
/// property of the dataset: models on one split have the same.
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025, Fig. 14,
/// which takes the training set.
std::vector<Metric> true_concept_information();
}  // namespace declare

}  // namespace conoscope::metrics
