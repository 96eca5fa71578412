// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// What does a network read off all representations together?
///
///   AUC of f(c_hat), f: k' * width -> 64 ReLU -> 64 ReLU -> outputs under sigmoids
///
/// Trained on 80 % of the samples, by the rules of train_niche_network; the AUC is that of the other
/// 20 %.

/// For each concept the AUC of a network of its own.
///
/// c_hat     n x (k' * width).   concepts  n x k of 0 and 1, k >= 1
/// returns   k, in [0, 1]; 1/2: nothing
/// throws    std::invalid_argument: shapes that do not fit, n < 2, an entry not finite, concepts not
///           0 or 1
///           std::domain_error: a concept with one value in the test part
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, App. A.11 and Fig. A.6, which give the hidden layers
/// alone; how the network is trained is ours.
Vector concept_probe_auc(const MatrixRef& c_hat, const MatrixRef& concepts, std::uint64_t seed = 0);

/// The mean over the classes of the AUC of one against the rest, by one network with an output for
/// each class; two classes: one output.
///
/// labels    n, from 0
/// returns   [0, 1]; 1/2: nothing
/// throws    std::invalid_argument: as above; a label below 0 or above 10^6
///           std::domain_error: one class in the test part
///
/// Source: the same, App. A.9 and Fig. A.3.
double label_probe_auc(const MatrixRef& c_hat, std::span<const Index> labels,
                       std::uint64_t seed = 0);

namespace declare {
/// concept_probe_auc, the mean over concepts (parts: each concept's), and label_probe_auc, which is
/// asked of datasets with annotated concepts alone: elsewhere every explanation would pay for it.
std::vector<Metric> probe();
}  // namespace declare

}  // namespace conoscope::metrics
