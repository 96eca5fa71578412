// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/information/concept_information.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

struct LeakageNullOptions {
  Index permutations = 199;  ///< at most; the smallest p is 1 / (permutations + 1)
  Index neighbours = 3;      ///< k of mi_ksg and mi_ross
  std::uint64_t seed = 0;
};

/// Does each predicted concept say more about the label than its true one accounts for?
///
///   T_i   = I(c^_i; y), what ctl is made of
///   null  c^_i tells of y only what c_i tells: y changes places among samples of equal c_i
///   p_i   = (1 + #{permutations whose T is at least T_i}) / (1 + permutations)
///
/// Permutations stop at the tenth that reaches T_i; then p_i = 10 / how many there were. Either way
/// P(p_i <= a) <= a where the null holds. A permutation deals the sorted concept out again; nothing
/// is sorted but once. Where no values tie, p does not depend on the order of the samples.
///
/// predicted  c^, n x k: probabilities, logits, or 0 and 1 of a hard model.
/// truth      c, n x k, whole numbers.  labels: n.
/// returns    p_i, k of them. 1 where c^_i is c_i.
/// throws     std::invalid_argument: shapes that differ, a truth that is not whole, permutations < 1;
///            as ConceptColumns and mi_ross
///            std::domain_error: as mi_ross
///
/// Source: ours, of the scores of Parisini et al., 2025; the stopping rule of Besag and Clifford,
/// Biometrika 78, 1991.
std::vector<double> ctl_p_values(const ConceptColumns& predicted, const ConceptColumns& truth,
                                 std::span<const Index> labels,
                                 const LeakageNullOptions& options = {});

/// Do two predicted concepts say more about each other than their true ones account for?
///
///   T_ij  = I(c^_i; c^_j), what icl is made of
///   null  c^_i tells only what c_i tells, and c^_j what c_j: each changes places among samples of
///         its own true concept, so that nothing but the dependence of c_i and c_j connects them
///
/// and p_ij as in ctl_p_values.
///
/// returns  p_ij in the order (0,1), (0,2), ..., (1,2), ...
/// throws   as ctl_p_values; std::invalid_argument: k < 2
///
/// Source: as ctl_p_values.
std::vector<double> icl_p_values(const ConceptColumns& predicted, const ConceptColumns& truth,
                                 const LeakageNullOptions& options = {});

namespace declare {
/// ctl_significant and icl_significant: the share of p that stay at most 0.05 as benjamini_hochberg
/// adjusts them. Parts: the p, not adjusted. For m tests at least 20 m - 1 permutations are allowed, so
/// that one that leaks is found among any number of others.
std::vector<Metric> leakage_null();
}  // namespace declare

}  // namespace conoscope::metrics
