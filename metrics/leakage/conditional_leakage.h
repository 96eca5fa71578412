// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/information/concept_information.h"
#include "metrics/information/mi_given.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// What does each predicted concept say about the label that its true one does not?
///
///   L_i = I(c^_i; y | c_i) / H(y)
///
/// By the chain rule L_i - u_i = I(c_i; y | c^_i) / H(y) >= 0, where u_i is what ctl clips: what c^_i
/// fails to know of its own concept does not make up for what it knows beside it.
///
/// predicted  c^, n x k: probabilities, logits, or 0 and 1 of a hard model.
/// truth      c, n x k, whole numbers.  labels: n.
/// returns    no unit, k values >= 0, at most 1 for exact quantities.
/// throws     std::invalid_argument: shapes that differ, a truth that is not whole; as
///            ConceptColumns and mi_ross_given
///            std::domain_error: one label only; as mi_ross_given
///
/// Estimates by mi_discrete_given where all predicted concepts are whole numbers, else by
/// mi_ross_given.
///
/// Source: ours, the measure of Makonnen et al. (see conditional_leakage) for one concept at a time.
std::vector<double> ctl_conditional(const ConceptColumns& predicted, const ConceptColumns& truth,
                                    std::span<const Index> labels,
                                    const ConceptInformationOptions& options = {});

struct ConditionalLeakageOptions {
  Index permutations = 39;  ///< of the null; the smallest p is 1 / (permutations + 1)
  Index neighbours = 3;     ///< k of mi_ross
  std::uint64_t seed = 0;
};

/// All but p and counts are shares of H(y).
struct ConditionalLeakage {
  double value = 0.0;        ///< estimate less the mean of null
  double estimate = 0.0;     ///< I(c^; y | c)
  std::vector<double> null;  ///< the same of each permutation
  double p = 1.0;            ///< (1 + #{null >= estimate}) / (1 + permutations)
  Index alone = 0;           ///< samples whose true concepts no other one has
  Index left_out = 0;        ///< samples whose label no other sample of equal true concepts has
};

/// What do all predicted concepts together say about the label that all true ones do not, beyond
/// chance?
///
///   (I(c^; y | c) - mean of I(c^; p(y) | c)) / H(y),   p: y changes places among samples of equal c
///
/// Where the strata of c are small, I(c^; y | c) is large whatever c^ knows: one for each combination of
/// the true concepts. Its mean over such permutations is what chance gives, so that what is left can be
/// compared over n and k. 0 where the label is a function of the true concepts, whatever the predicted
/// ones hold.
///
/// predicted  n x d: scalar concepts, or the vectors of an embedding side by side; distances are
///            Euclidean and nothing is standardised.
/// returns    no unit, at most 1, below 0 by chance.
/// throws     as ctl_conditional; std::invalid_argument: permutations < 1
///            std::domain_error: nothing can be said, whatever is predicted. More than half of the samples
///            are alone with their true concepts, or the permuted label itself would get more than a
///            quarter of H(y | c), the most there can be (both as mi_discrete_given estimates them).
///
/// Source: Makonnen et al., arXiv 2504.09459, who measure leakage as I(c^; y | c); the null, the
/// estimates and the share of H(y) are ours.
ConditionalLeakage conditional_leakage(const MatrixRef& predicted, const ConceptColumns& truth,
                                       std::span<const Index> labels,
                                       const ConditionalLeakageOptions& options = {});

namespace declare {
/// ctl_conditional, the mean over concepts (parts: each concept's), and conditional_leakage (parts: the
/// null's values).
std::vector<Metric> conditional_leakage();
}  // namespace declare

}  // namespace conoscope::metrics
