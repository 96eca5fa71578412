#pragma once

#include <vector>

#include "metrics/metric.h"

namespace conoscope::metrics {

/// SURF for a layer below the last one. The group `surf_below`:
///
///   surf_through_mae  _emd  _top1  _rank_corr  _attr_acc  _prob_mae    surf_through_surrogate
///   surf_local_mae    _emd  ...                                        surf_local_surrogate
///
/// Which of them apply follows from the head's output kind, as for `surf`. At the last layer, where
/// both are `surf`, they do not apply; surf_local also asks for a vector-Jacobian product.
namespace declare {
std::vector<Metric> surf_below();
}  // namespace declare

}  // namespace conoscope::metrics
