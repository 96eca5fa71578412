// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "metrics/subject.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// A task head with its concepts in the open. An intervention sets a concept of a sample to what
/// the head is to read where the concept is there, or is not.
struct InterventionProblem {
  Matrix scores;    ///< n x (k * width), what the head reads without interventions
  Index width = 1;  ///< numbers of one concept; concept j's columns are j*width ... j*width+width-1
  Matrix truth;     ///< n x k, 0 ... 1; between them the two values are mixed
  Vector active, inactive;  ///< k each: 1 and 0 for probabilities, two percentiles for logits
  /// n x (k * width): each sample's own vectors of a concept that is there, and that is not. Then
  /// active and inactive stay empty. width > 1 needs them.
  Matrix own_active, own_inactive;
  IndexVector labels;  ///< n, in 0 ... C-1
  IndexVector groups;  ///< k: concepts of equal numbers are told together; empty: each by itself
  /// m x (k * width), and of these m x k, 1 where a concept was told -> m x C, logits
  std::function<Matrix(const MatrixRef& scores, const MatrixRef& told)> head;

  Index samples() const { return scores.rows(); }
  Index concepts() const { return truth.cols(); }
};

/// What a head reads of all samples: their scores, some of which they were told.
struct ToldConcepts {
  Matrix scores;  ///< n x (k * width)
  Matrix told;    ///< n x k, 0 or 1

  /// Nothing told.
  explicit ToldConcepts(const InterventionProblem& problem);
  /// Writes presence * there + (1 - presence) * not there.
  void tell(const InterventionProblem& problem, Index sample, Index concept_id, double presence);
};

/// Concepts that are told together: those of each group, ascending.
using ConceptGroups = std::vector<IndexVector>;

/// The groups in the order of their numbers.
///
/// groups   k numbers, 0 or more; empty: each concept by itself
/// throws   std::invalid_argument: not k of them, a negative one
ConceptGroups concept_groups(const IndexVector& groups, Index concepts);

/// A problem that does not contradict itself, and what its head answers without interventions: that
/// it exists is the proof, so nobody who takes one looks again.
class CheckedIntervention {
 public:
  /// throws  std::invalid_argument: shapes that do not match, an entry not finite, a truth outside
  ///         0 ... 1, both or neither of the two ways to say what is written, no head, labels that it
  ///         has no output for; as concept_groups, as answer
  CheckedIntervention(InterventionProblem problem);  // NOLINT(google-explicit-constructor)

  const InterventionProblem* operator->() const { return &problem_; }
  const InterventionProblem& operator*() const { return problem_; }
  const Matrix& untold() const { return untold_; }
  const ConceptGroups& groups() const { return groups_; }

  /// The head's logits. throws std::invalid_argument: the head, which is a plugin's, returns another
  /// shape or an entry that is not finite
  Matrix answer(const ToldConcepts& concepts) const;

 private:
  InterventionProblem problem_;
  ConceptGroups groups_;
  Matrix untold_;
};

/// The values that an intervention on a logit writes.
struct InterventionValues {
  Vector inactive, active;  ///< the 5th and the 95th percentile of each column
};

/// Percentiles by linear interpolation at (n - 1) q / 100 of the ascending values.
///
/// logits  n x k, finite, n >= 1; the reference takes the training set's.
/// throws  std::invalid_argument: n < 1, k < 1, an entry not finite
InterventionValues intervention_values(const MatrixRef& logits);

/// Which group of concepts each sample is told first, second, ...: n x G, each row a permutation.
/// Where each concept is a group, these are the concepts.
using InterventionOrder = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// After 0, 1, ..., G interventions.
struct InterventionCurve {
  std::vector<double> accuracy;
  std::vector<double> ece, brier;        ///< of the classes: class_calibration and brier
  std::vector<IndexVector> predictions;  ///< n each
};

/// Mean over a curve by trapezoids: the area under it, divided by G.
double area_under(const std::vector<double>& curve);

/// How does accuracy grow as samples are told their concepts, one group after the other, and do the
/// probabilities of classes stay calibrated?
///
/// throws  std::invalid_argument: a row of order that is no permutation; as CheckedIntervention
///
/// Source: Koh et al., ICML 2020; as in Parisini et al., 2025.
InterventionCurve intervention_curve(const CheckedIntervention& problem,
                                     const InterventionOrder& order);

/// How much accuracy does the model win by being told all its concepts? The end of any curve less its
/// beginning.
///
/// returns  -1 ... 1; below 0 what is told misleads the head, which reads more from its scores than
///          the presence of their concepts.
/// throws   as CheckedIntervention
///
/// Source: Figs. 5 and A.5 of Espinosa Zarlenga et al., AAAI 2023, which draw the curve.
double intervention_gain(const CheckedIntervention& problem);

/// Each sample draws the next group uniformly from those it was not told.
InterventionOrder random_order(Index samples, Index groups, std::uint64_t seed,
                               std::uint64_t stream = 0);

struct CoopOptions {
  double entropy_weight = 1.0, importance_weight = 1.0;  ///< alpha, beta; 0 or more
};

/// CooP: first what the model is unsure of and what its answer hangs on.
///
///   score_i = alpha H(p_i) / ln 2 + beta |E_{c_i ~ p_i}[P(y^)] - P(y^)|
///   H(p)    = -p ln(p + 1e-8) - (1 - p) ln(1 - p + 1e-8)
///
/// y^ and P(y^) are of the current, partly told prediction, P by softmax; p is the model's own
/// probability throughout. The largest score is next, the first one of ties; a group's is the mean of
/// its concepts', each as if told by itself.
///
/// probabilities  n x k, in 0 ... 1
/// throws         as CheckedIntervention; a head of one output, whose expectation the reference
///                does not weigh by p; weights negative or not finite
///
/// Source: Chauhan et al., Interactive Concept Bottleneck Models, AAAI 2023; as in the code of
/// Parisini et al., which may tell a concept twice where no score is above 0; here never. Groups as in
/// the code of Espinosa Zarlenga et al., Concept Embedding Models, NeurIPS 2022.
InterventionOrder coop_order(const CheckedIntervention& problem, const MatrixRef& probabilities,
                             const CoopOptions& options = {});

/// First what the model is unsure of: the largest 1 / |p - 1/2 + 1e-8|, the first of ties; a group's is
/// the largest of its concepts'.
///
/// probabilities  n x k, in 0 ... 1: the model's own, before it is told anything
/// groups         as in InterventionProblem
/// throws         std::invalid_argument: an entry outside; as concept_groups
///
/// Source: "UCP" in the code of Parisini et al., 2025; after Shin et al., ICML 2023.
InterventionOrder uncertainty_order(const MatrixRef& probabilities, const IndexVector& groups = {});

/// What an expert says who is right about concept j with probability competence_j, and else says the
/// opposite: truth where draws < competence, 1 - truth elsewhere.
///
/// truth       n x k, 0 ... 1
/// competence  k, in 0 ... 1
/// draws       n x k, uniform in [0, 1)
/// throws      std::invalid_argument: shapes that differ, a competence outside
///
/// Source: as in the code of Parisini et al., 2025.
Matrix expert_answers(const MatrixRef& truth, const VectorRef& competence, const MatrixRef& draws);

/// The greedy oracle, an upper mark that knows the label: next is the group whose being told raises
/// the probability of the true class most; the first one of ties.
///
/// throws  as coop_order
InterventionOrder greedy_oracle_order(const CheckedIntervention& problem);

/// A subject's head as a problem, and what the reader must know of it; derived once. Scores within
/// 0 ... 1 are set to 0 and 1, others to their 5th and 95th percentiles among the training samples,
/// as in the reference, or among those judged where there are no others.
struct SubjectIntervention {
  CheckedIntervention problem;
  std::string caveat;
};

/// throws  NotApplicable: a model that answers no interventions, whose vectors of present and absent
///         concepts are unknown, that has other concepts than annotated, or fewer than two outputs;
///         annotated concepts outside 0 ... 1
SubjectIntervention subject_intervention(const Subject& subject);

/// In the order of greedy_oracle_order; derived once. throws  as subject_intervention
InterventionCurve oracle_curve(const Subject& subject);

namespace declare {
/// intervention_random (the mean of five orders drawn from the subject's seed), intervention_uncertainty,
/// intervention_coop (both weights 1) and intervention_oracle: areas; parts: the curve, G + 1 accuracies.
/// CooP asks the head 2 k G times for all samples, the oracle G^2 times, the others G times.
/// intervention_ece and intervention_brier are those of the classes along the curves of
/// intervention_random. And intervention_gain, which asks it once. The setting competence of all but the
/// last two is the percentage of answers in which the expert is right.
std::vector<Metric> intervention();
}  // namespace declare

}  // namespace conoscope::metrics
