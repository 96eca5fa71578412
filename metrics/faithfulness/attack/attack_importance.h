// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/faithfulness/attack/attack.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// How much more can the ranking of concepts be turned over, while every logit stays as it is, than
/// noise of the same size turns it over?
///
///   t(h')  = (1 - rho(z(h), z(h'))) / 2      rho: Spearman's over the K_c contributions, see attack_concept
///   score  = mean_x max_d t(h + d) - mean_x mean_u t(h + u)
///
/// 0 of t: the same order; 1: the opposite one. A constant row of z has no order and counts t = 0. d and u
/// are those of attack_concept; the worst d is searched for, for every psi.
///
/// of       softmax, last layer, not flattened.
/// returns  [-1, 1]; 0 and below: no worse than noise. parts: max_d t of each sample. Samples whose class
///          has one concept are left out.
/// throws   std::invalid_argument: as ExplainedHead, psi
///          std::domain_error: every activation is 0; no class that is predicted has two concepts
///
/// Source: ours, after Sinha et al., AAAI 2023, and Brown and Kvinge, arXiv 2110.07120.
Result attack_importance(const ExplainedHead& of, std::uint64_t seed,
                         const AttackOptions& options = {});

namespace declare {
std::vector<Metric> attack_importance();
}  // namespace declare

}  // namespace conoscope::metrics
