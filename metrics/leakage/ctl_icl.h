// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metrics/information/concept_information.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;
struct Result;
class Subject;

/// Concepts-task leakage.
struct Ctl {
  double value = 0.0;            ///< mean over concepts
  std::vector<double> concepts;  ///< CTL_i
  ConceptsTaskInformation predicted, truth;
};

/// Do predicted concepts say more about the label than the concepts themselves do?
///
///   u_i   = I(c^_i; y) / H(y) - I(c_i; y) / H(y)
///   CTL_i = max(0, u_i),   CTL = mean_i CTL_i
///
/// predicted  c^, n x k: probabilities, logits, or 0 and 1 of a hard model.
/// truth      c, n x k, whole numbers.  labels: n.
/// returns    no unit; CTL_i is at most 1 for exact quantities, estimates may pass it slightly.
/// throws     std::invalid_argument: shapes that differ, a truth that is not whole; as
///            ConceptColumns and mi_concepts_task
///            std::domain_error: one label only
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025; the
/// estimators are its code's, see mi_concepts_task.
Ctl ctl(const ConceptColumns& predicted, const ConceptColumns& truth, std::span<const Index> labels,
        const ConceptInformationOptions& options = {});

/// Interconcept leakage.
struct Icl {
  double value = 0.0;            ///< mean over concepts
  std::vector<double> concepts;  ///< ICL_i
  std::vector<double> pairs;     ///< ICL_ij in the order (0,1), (0,2), ..., (1,2), ...
  InterconceptInformation predicted, truth;
};

/// Do predicted concepts say more about each other than the concepts themselves do?
///
///   v_ij   = I(c^_i; c^_j) / (sqrt(H^_i H^_j) + 1e-10) - the same of c
///   ICL_ij = max(0, v_ij),  ICL_i = sum_{j != i} ICL_ij / (k - 1),  ICL = mean_i ICL_i
///
/// predicted, truth  as for ctl; k >= 2.
/// returns  no unit. Soft concepts are divided by psi(n) - psi(neighbours) or so and true ones by
///          at most ln 2, so values compare at equal n only, and a soft model that copies the true
///          dependence has v_ij < 0, which is clipped.
/// throws   std::invalid_argument: as ctl; k < 2; as mi_interconcept
///          std::domain_error: as mi_interconcept
///
/// Source: as ctl.
Icl icl(const ConceptColumns& predicted, const ConceptColumns& truth,
        const ConceptInformationOptions& options = {});

/// ICL in units that do not grow with n.
///
///   ICL_ij = max(0, I(c^_i; c^_j) - I(c_i; c_j)) / sqrt(H(c_i) H(c_j))
///
/// and the means over it as in icl. Both informations are divided by what true concepts could say,
/// as ctl divides both by H(y), so a model that copies the true dependence has 0 at any n.
///
/// found    what icl returned.
/// returns  the same informations with other pairs, concepts and value. No unit; a pair may pass 1,
///          for continuous concepts can share more than true ones have.
/// throws   std::domain_error: a true concept is constant, so H(c_i) = 0
///
/// Source: ours, of the scores of Parisini et al., 2025.
Icl icl_true_entropy(Icl found);

/// ctl of a subject as it is scored: without noise, or where a concept is tied the mean over five draws of
/// it, and a caveat. Parts: each concept's.
Result subject_ctl(const Subject& subject);

namespace declare {
/// ctl, icl, icl_ij, the largest pair's, and icl_true_entropy. Where a concept is tied: the means of five
/// repeats with the reference's noise, and a caveat.
std::vector<Metric> ctl_icl();
}  // namespace declare

}  // namespace conoscope::metrics
