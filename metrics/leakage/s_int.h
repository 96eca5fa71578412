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

namespace declare {
/// reference_accuracy, of a head of the model's own kind that the model trained by itself on the true
/// concepts, and s_int against it; the curve is the oracle's. Without such a head neither applies.
std::vector<Metric> s_int();
}  // namespace declare

}  // namespace conoscope::metrics
