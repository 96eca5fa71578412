// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/score_built_in.h"

#include <algorithm>
#include <stdexcept>

#include "metrics/catalogue.h"
#include "metrics/summaries/summary.h"

namespace conoscope::core {

bool parts_by_sample(const metrics::Metric& metric) {
  return !metric.asks_for("concept_view") && !metric.asks_for("latent_view") &&
         metric.group != metrics::kSummaries;
}

bool any_asks_for(const std::vector<std::string>& metrics, std::string_view view) {
  return std::any_of(metrics.begin(), metrics.end(), [view](const std::string& name) {
    const auto* metric = metrics::catalogue().metric(name);
    return metric != nullptr && metric->asks_for(view);
  });
}

void score_built_in(const std::vector<std::string>& metrics, const metrics::Views& views,
                    const TakeScore& take) {
  const metrics::Subject subject(views);
  for (const auto& name : metrics) {
    const auto* metric = metrics::catalogue().metric(name);
    if (metric == nullptr) throw std::runtime_error("no metric " + name);
    take(metrics::score(*metric, subject), parts_by_sample(*metric));
  }
}

}  // namespace conoscope::core
