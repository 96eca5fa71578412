#pragma once

#include "metrics/metric.h"

namespace conoscope::metrics {

namespace declare {
/// The rows of the group `surf`.
std::vector<Metric> surf();
}  // namespace declare

}  // namespace conoscope::metrics
