#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// Does being told its concepts help the model?
///
///   intervention_random   mean accuracy over 0 ... k interventions in random order, mean of five
///                         draws from the subject's seed; parts: the mean curve, k + 1 accuracies
///   intervention_coop     the same, most telling first (coop_order, both weights 1)
///   intervention_oracle   the same, chosen with the label in view (greedy_oracle_order)
///   reference_accuracy    the best that any head could reach on the true concepts
///   s_int                 reference_accuracy minus the end of the curves
///
/// subject  concepts of width 1 with an intervene function of two or more outputs (logits);
///          annotations.concepts in 0 ... 1, as many as the model's; labels. Scores within 0 ... 1
///          are set to 0 and 1, other ones to their 5th and 95th percentiles; the reference takes
///          the training set's percentiles, here they are of the samples judged.
/// returns  one Score per name, in this order; `not_applicable`: a missing view or annotation.
/// throws   std::invalid_argument: as intervention_curve
///
/// CooP asks the head 2 k^2 times for all samples, the oracle k^2 times, a random order k times.
/// Source: see intervention.h.
std::vector<Score> intervention(const Views& subject);

namespace declare {
/// The rows of the group `intervention`.
std::vector<Metric> intervention();
}  // namespace declare

}  // namespace conoscope::metrics
