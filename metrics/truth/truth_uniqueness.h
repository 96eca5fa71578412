// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/truth/truth_matching.h"

namespace conoscope::metrics {

/// Do the latents stand for different features, or many of them for the same?
///
///   number of different argmax_i |cos(w_j, d_i)|, over latents j,  / K
///
/// returns  (0, 1]; 1: no two latents are closest to the same truth. Of 1,024 truths 256 random
///          atoms reach 0.89, more than a dictionary early in its training: it says nothing by
///          itself.
///
/// Codes play no part, as in truth_mcc. With K > N it stays below N/K.
///
/// Source: SynthSAEBench, arXiv 2602.14687.
double truth_uniqueness(const TruthMatching& matching);

namespace declare {
std::vector<Metric> truth_uniqueness();
}  // namespace declare

}  // namespace conoscope::metrics
