// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/faithfulness/attack/input_attack.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// How much more can the ranking of concepts be turned over by a change of the input that leaves the
/// model's answer as it is, than noise of the same size turns it over?
///
///   t(x')  = (1 - rho(z(x), z(x'))) / 2        rho: Spearman's over the K_c contributions, see
///   score  = mean_x max_d t(x + d) - mean_x mean_u t(x + u)               attack_input_concept
///
/// 0 of t: the same order; 1: the opposite one. A constant row of z has no order and counts t = 0. d and u
/// are those of attack_input_concept. t has no gradient; for a linear psi the search goes down that of
/// sum log(1 + (z_k - z_l) / s) over the pairs that are still in the order of z(x), s how far noise moves
/// z: pairs that are close to changing places count most.
///
/// of       softmax, last layer, not flattened.
/// images   as attack_input_concept
/// returns  [-1, 1], found by search, so a lower bound; 0 and below: no worse than noise. parts: max_d t of
///          each sample. Samples whose class has one concept are left out.
/// throws   std::invalid_argument: as ExplainedHead and attack_inputs
///          std::domain_error: every input is the same number; no class that is predicted has two
///          concepts
///
/// Source: ours, after Sinha et al., AAAI 2023, and Brown and Kvinge, arXiv 2110.07120.
Result attack_input_importance(const ExplainedHead& of, const ImageView& images, std::uint64_t seed,
                               const InputAttackOptions& options = {});

namespace declare {
std::vector<Metric> attack_input_importance();
}  // namespace declare

}  // namespace conoscope::metrics
