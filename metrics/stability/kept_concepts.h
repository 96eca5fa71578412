// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/peer_metric.h"

namespace conoscope::metrics {

/// How similar are the concepts fitted to moved training samples to those fitted to the samples as they are?
///
///   sum_c sum_{(k,l) in M_c} s(k, l) / sum_c max(K_c, K'_c)
///
/// As stability (metrics/stability/stability.h): M_c are the matched pairs of output c, s their |cos|, of
/// subspaces by principal angles. A concept without a partner counts as 0. psi and importances are not compared.
///
/// peers    one: the clean explanation of the same cell. The cell is a control that moved the samples
///          (poisoned_samples.h).
/// returns  [0, 1]; 1: the same concepts, as of an explainer that reads no activations. To be read against
///          the control noisy.
/// throws   as stability, in its name
///
/// Source: ours; that moved samples teach an explainer other concepts: Brown and Kvinge, arXiv 2110.07120.
Result kept_concepts(const Peers& peers);

namespace declare {
std::vector<Metric> kept_concepts();
}  // namespace declare

}  // namespace conoscope::metrics
