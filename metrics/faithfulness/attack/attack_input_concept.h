// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/faithfulness/attack/input_attack.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// How much further can concept contributions be pushed by a change of the input that leaves the model's
/// answer as it is, than noise of the same size pushes them?
///
///   z(x)  = (alpha_k psi(h(x); V_c)_k)_k       c: the class that the model predicts for x; h: pooled
///   score = sum_x max_d |z(x + d) - z(x)| / sum_x mean_u |z(x + u) - z(x)|
///
/// d: the moves of attack_inputs, which says what "as it is" means, and how they are searched for. u:
/// random signs times epsilon, noticed by the model or not. For a linear psi the search goes up the
/// gradient, that of (alpha_k <h, v_k>)_k through the model.
///
/// of       softmax, last layer, not flattened.
/// images   of its samples, with the model's forward call, and its gradient where there is one.
/// returns  [0, inf), found by search, so a lower bound. 1 and below: no further than noise. An
///          explanation whose contributions are the logits is at 1 at most. parts: the largest change of
///          each sample over the mean change by noise. Of more than 50 samples, 50 at equal distances.
/// throws   std::invalid_argument: as ExplainedHead and attack_inputs
///          std::domain_error: every input is the same number; no predicted class has a concept; noise
///          changes no contribution
///
/// Source: ours. Brown and Kvinge, arXiv 2110.07120, change the examples that a concept is made from;
/// Sinha et al., AAAI 2023, the concepts that a concept model finds in an input, by projected gradient.
Result attack_input_concept(const ExplainedHead& of, const ImageView& images, std::uint64_t seed,
                            const InputAttackOptions& options = {});

/// What it is after: |z(x + d) - z(x)|.
extern const AttackAim kMovedContributions;

namespace declare {
std::vector<Metric> attack_input_concept();
}  // namespace declare

}  // namespace conoscope::metrics
