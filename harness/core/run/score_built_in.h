// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/views.h"

namespace conoscope::core {

/// Does one of these built-in metrics take the view?
bool any_asks_for(const std::vector<std::string>& metrics, std::string_view view);

/// May the metric's parts be as many as the samples? Those of measures of concept views and codes are
/// by concept, pair or point of a curve, and a summary is small: few.
bool parts_by_sample(const metrics::Metric& metric);

/// Told of every score; by_sample: its parts may be as many as the samples.
using TakeScore = std::function<void(const metrics::Score& score, bool by_sample)>;

/// Applies built-in metrics to a subject.
/// throws  std::runtime_error: no such metric
void score_built_in(const std::vector<std::string>& metrics, const metrics::Views& views,
                    const TakeScore& take);

}  // namespace conoscope::core
