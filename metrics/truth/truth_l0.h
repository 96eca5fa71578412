// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How often does each latent fire?   |{rows : f_j > 0}| / n
///
/// codes    f, n x K; n, K >= 1, finite
/// returns  K shares. Their sum is truth_l0, latents that fire in a row, on average; the share of
///          those that are 0 is truth_dead.
/// throws   std::invalid_argument: empty, an entry not finite
///
/// Sparsity is a setting more than a merit: dictionaries are compared fairly at equal L0.
///
/// Source: SynthSAEBench, arXiv 2602.14687.
Vector firing_rates(const MatrixRef& codes);

namespace declare {
/// truth_l0, truth_dead.
std::vector<Metric> truth_l0();
}  // namespace declare

}  // namespace conoscope::metrics
