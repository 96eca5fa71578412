// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"

namespace conoscope::metrics {

/// SURF for a layer below the last one. The group `surf_below`:
///
///   surf_through_mae  surf_through_emd  surf_through_top1  surf_through_rank_corr
///   surf_through_attr_acc  surf_through_prob_mae            of surf_through_surrogate
///   surf_local_mae  surf_local_emd  surf_local_top1  surf_local_rank_corr
///   surf_local_attr_acc  surf_local_prob_mae                of surf_local_surrogate
///
/// Which of them apply follows from the head's output kind, as for `surf`. At the last layer, where
/// both are `surf`, they do not apply; surf_local also asks for a vector-Jacobian product.
namespace declare {
std::vector<Metric> surf_below();
}  // namespace declare

}  // namespace conoscope::metrics
