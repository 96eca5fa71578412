#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

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
  IndexVector labels;                                   ///< n, in 0 ... C-1
  std::function<Matrix(const MatrixRef& scores)> head;  ///< m x (k * width) -> m x C, logits

  Index concepts() const { return truth.cols(); }
  /// What an intervention writes: presence * there + (1 - presence) * not there.
  void set(Matrix& scores_of_all, Index sample, Index concept_id, double presence) const;
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

/// Which concept each sample is told first, second, ...: n x k, each row a permutation.
using InterventionOrder = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct InterventionCurve {
  std::vector<double> accuracy;          ///< after 0, 1, ..., k interventions
  std::vector<IndexVector> predictions;  ///< k + 1 times n
  /// Mean over the curve by trapezoids: the area under it, divided by k.
  double area() const;
};

/// How does accuracy grow as samples are told their concepts, one after the other?
///
/// throws  std::invalid_argument: shapes that do not match, an entry not finite, a truth outside
///         0 ... 1, both or neither of the two ways to say what is written, a row of order that is
///         no permutation, labels the head has no output for
///
/// Source: Koh et al., ICML 2020; as in Parisini et al., 2025.
InterventionCurve intervention_curve(const InterventionProblem& problem,
                                     const InterventionOrder& order);

/// Each sample draws the next concept uniformly from those it was not told.
InterventionOrder random_order(Index samples, Index concepts, std::uint64_t seed,
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
/// probability throughout. The largest score is next, the first one of ties.
///
/// probabilities  n x k, in 0 ... 1
/// throws         as intervention_curve; a head of one output, whose expectation the reference
///                does not weigh by p; weights negative or not finite
///
/// Source: Chauhan et al., Interactive Concept Bottleneck Models, AAAI 2023; as in the code of
/// Parisini et al., which may tell a concept twice where no score is above 0; here never.
InterventionOrder coop_order(const InterventionProblem& problem, const MatrixRef& probabilities,
                             const CoopOptions& options = {});

/// The greedy oracle, an upper mark that knows the label: next is the concept whose being told
/// raises the probability of the true class most; the first one of ties.
///
/// throws  as coop_order
InterventionOrder greedy_oracle_order(const InterventionProblem& problem);

/// How much accuracy is lost by a head that is told all concepts, against one that was trained on
/// them?
///
///   S_int = y_acc - y_acc*   y_acc: accuracy of the reference head, y_acc*: end of the curve
///
/// returns  -1 ... 1; 0: told its concepts, the head answers as well as one made for them.
/// throws   std::invalid_argument: an accuracy outside 0 ... 1, an empty curve
///
/// Source: Parisini et al., 2025, Sec. 3.
double s_int(double reference_accuracy, const InterventionCurve& curve);

/// The best accuracy that any head can reach on true concepts: each combination of concepts
/// answers its most frequent label.
///
///   y_acc = sum_c max_y P(c, y)
///
/// concepts  n x k; rows that are equal are one combination. labels: n.
/// weights   of the rows, >= 0, or empty for equal ones.
/// returns   0 ... 1; over few samples too high, as each combination that occurs once is answered
///           right: compare n with the number of combinations.
/// throws    std::invalid_argument: n < 1, lengths that differ, an entry not finite, weights
///           negative or all 0
struct ReferenceAccuracy {
  double value = 0.0;
  Index combinations = 0;
};
ReferenceAccuracy reference_accuracy(const MatrixRef& concepts, const IndexVector& labels,
                                     const Vector& weights = {});

/// The accuracy of a head that was made for true concepts: it answers each combination with the
/// label that was most frequent with it among the training samples, and a combination it never met
/// with the most frequent label of all. Of equally frequent ones the lowest.
///
/// Over many training samples no head on true concepts is better. Unlike reference_accuracy() it
/// has not seen the samples it is judged on.
///
/// train_concepts, concepts  n' x k and n x k; labels as many
/// throws  std::invalid_argument: no training sample, lengths or widths that differ, not finite
double reference_head_accuracy(const MatrixRef& train_concepts, const IndexVector& train_labels,
                               const MatrixRef& concepts, const IndexVector& labels);

}  // namespace conoscope::metrics
