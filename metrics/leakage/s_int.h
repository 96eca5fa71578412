// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/leakage/intervention.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How much accuracy is lost by a head that is told all concepts, against the same kind of head
/// trained on them?
///
///   S_int = y_acc - y_acc*   y_acc: accuracy of the reference head, y_acc*: end of the curve
///
/// What the kind of head cannot learn from true concepts is missing in both, so that a head trained
/// on true concepts has 0, misspecified or not.
///
/// returns  -1 ... 1; 0: told its concepts, the head answers as well as one made for them.
/// throws   std::invalid_argument: an accuracy outside 0 ... 1, an empty curve
///
/// Source: Parisini et al., 2025, Eq. 5.
double s_int(double reference_accuracy, const InterventionCurve& curve);

/// Which samples does a head get wrong that was told all concepts? The share of those with 0, 1, ...,
/// k concepts present that it does; NaN: there is no such sample.
///
/// A head on logits may count one concept told present for more than two told absent, where the values
/// that are told lie at unequal distances from 0. Then S_int is the share of the samples with one
/// concept, and says nothing of leakage.
///
/// truth    n x k, 0 and 1. labels, predictions: n
/// returns  k + 1 shares
/// throws   std::invalid_argument: lengths that differ, n < 1, a truth other than 0 and 1
std::vector<double> wrong_share_by_present(const MatrixRef& truth, const IndexVector& labels,
                                           const IndexVector& predictions);

namespace declare {
/// reference_accuracy, of a head of the model's own kind that was trained by itself on the true
/// concepts, and s_int against it; the curve is the oracle's, the parts are wrong_share_by_present().
/// Where the model brings no such head, but answers interventions, the reference is a linear one that
/// is fitted here, to the training samples or else to those judged. Caveats say so, and where the
/// reference is less often right than the table of table_of().
std::vector<Metric> s_int();
}  // namespace declare

}  // namespace conoscope::metrics
