#pragma once

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

struct ConditionalLeakage {
  double value = 0.0;
  Index left_out = 0;  ///< samples whose label no other sample of equal true concepts has
};

/// What do all predicted concepts together say about the label that all true ones do not?
///
///   I(c^; y | c) / H(y)
///
/// 0 where the label is a function of the true concepts, whatever the predicted ones hold.
///
/// predicted  n x d: scalar concepts, or the vectors of an embedding side by side; distances are
///            Euclidean and nothing is standardised.
/// throws     as ctl_conditional
///
/// Source: Makonnen et al., arXiv 2504.09459, who measure leakage as I(c^; y | c); the estimates and
/// the share of H(y) are ours.
ConditionalLeakage conditional_leakage(const MatrixRef& predicted, const ConceptColumns& truth,
                                       std::span<const Index> labels,
                                       const ConceptInformationOptions& options = {});

namespace declare {
/// ctl_conditional, the mean over concepts (parts: each concept's), and conditional_leakage.
std::vector<Metric> conditional_leakage();
}  // namespace declare

}  // namespace conoscope::metrics
