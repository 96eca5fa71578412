// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;
struct Result;
class Subject;

struct BestTable {
  double value = 0.0;
  Index combinations = 0;
};

/// The best accuracy that any head can reach on true concepts that it was shown: each combination of
/// concepts answers its most frequent label.
///
///   accuracy = sum_c max_y P(c, y)
///
/// concepts  n x k; rows that are equal are one combination. labels: n.
/// weights   of the rows, >= 0, or empty for equal ones.
/// returns   0 ... 1; over few samples too high, as each combination that occurs once is answered
///           right: compare n with the number of combinations.
/// throws    std::invalid_argument: n < 1, lengths that differ, an entry not finite, weights
///           negative or all 0
BestTable best_table_accuracy(const MatrixRef& concepts, const IndexVector& labels,
                              const Vector& weights = {});

/// The accuracy of a head that was made for true concepts: it answers each combination with the
/// label that was most frequent with it among the training samples, and a combination it never met
/// with the most frequent label of all. Of equally frequent ones the lowest.
///
/// Unlike best_table_accuracy() it has not seen the samples it is judged on, so it bounds no other
/// head: it knows nothing of a combination that it never met, where a head that generalises may be
/// right. Where every combination was met often, no head on true concepts is better.
///
/// train_concepts, concepts  n' x k and n x k; labels as many
/// throws  std::invalid_argument: no training sample, lengths or widths that differ, not finite
double table_accuracy(const MatrixRef& train_concepts, const IndexVector& train_labels,
                      const MatrixRef& concepts, const IndexVector& labels);

/// Of a subject's true concepts: table_accuracy() where its training samples are known, else
/// best_table_accuracy() of the samples judged; the caveat says which. Derived once.
Result table_of(const Subject& subject);

namespace declare {
/// best_table_accuracy: of a table made on the training samples where they are known
/// (table_accuracy), else the best one for the samples judged.
std::vector<Metric> best_table_accuracy();
}  // namespace declare

}  // namespace conoscope::metrics
