// SPDX-License-Identifier: Apache-2.0
#include "metrics/peer_metric.h"

#include "metrics/catalogue.h"

namespace conoscope::metrics {

const Metric* peer_metric(std::string_view name) {
  const Metric* known = catalogue().metric(name);
  return known != nullptr && known->compare ? known : nullptr;
}

bool is_over_seeds(std::string_view name) {
  const Metric* metric = peer_metric(name);
  return metric != nullptr && metric->asks_for(kOtherSeeds);
}

Score score(const Metric& metric, const Peers& peers) {
  Metric bound = metric;
  bound.needs.clear();
  bound.compute = [&](const Subject&) { return metric.compare(peers); };
  return score(bound, Subject(Views{}));
}

}  // namespace conoscope::metrics
