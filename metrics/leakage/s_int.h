#pragma once

#include <vector>

#include "metrics/leakage/intervention.h"
#include "metrics/types.h"

namespace conoscope::metrics {

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

struct ReferenceAccuracy {
  double value = 0.0;
  Index combinations = 0;
};

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

namespace declare {
/// reference_accuracy and s_int. The reference is a head made on the training samples where they are
/// known (reference_head_accuracy), else reference_accuracy of the samples judged; the curve is the
/// oracle's.
std::vector<Metric> s_int();
}  // namespace declare

}  // namespace conoscope::metrics
