// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/faithfulness/attack/attack.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// How much further can concept contributions be pushed, while every logit stays as it is, than noise
/// of the same size pushes them?
///
///   z(h)  = (alpha_k psi(h; V_c)_k)_k                 c: the class that the model predicts
///   score = sum_x max_d |z(h + d) - z(h)| / sum_x mean_u |z(h + u) - z(h)|
///
/// d: the moves of SilentMoves. u: uniform on the sphere of radius epsilon in the same coordinates,
/// noticed by the model or not. What is attacked is the pooled activation, not the input.
///
/// A linear psi has its largest change in closed form: epsilon times the largest singular value of
/// diag(alpha) V_c on the space of silent moves. Else it is a lower bound: the best of `noise` random
/// directions in that space and of `steps` random changes of it.
///
/// of       softmax, last layer, not flattened.
/// returns  [0, inf); 0: whatever the explanation says changes the answer, too. parts: the largest
///          change of each sample over the mean change by noise. A caveat counts samples without any
///          silent move; their largest change is 0. Of more than 200 samples, 200 at equal distances.
/// throws   std::invalid_argument: as ExplainedHead, psi
///          std::domain_error: every activation is 0, or noise changes no contribution
///
/// Source: ours; that explanations by concepts can be attacked: Brown and Kvinge, arXiv 2110.07120;
/// Sinha et al., AAAI 2023.
Result attack_concept(const ExplainedHead& of, std::uint64_t seed,
                      const AttackOptions& options = {});

namespace declare {
std::vector<Metric> attack_concept();
}  // namespace declare

}  // namespace conoscope::metrics
