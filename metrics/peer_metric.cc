#include "metrics/peer_metric.h"

#include <algorithm>

#include "metrics/faithfulness/attack/kept_concepts.h"
#include "metrics/stability/stability.h"

namespace conoscope::metrics {

const PeerMetric* peer_metric(std::string_view name) {
  static const std::vector<PeerMetric> all = [] {
    auto out = stability_metrics();
    out.push_back(kept_concepts_metric());
    return out;
  }();
  for (const PeerMetric& known : all)
    if (known.metric.name == name) return &known;
  return nullptr;
}

bool is_over_seeds(std::string_view name) {
  const PeerMetric* metric = peer_metric(name);
  return metric != nullptr &&
         std::ranges::find(metric->metric.needs, kOtherSeeds) != metric->metric.needs.end();
}

Score score(const PeerMetric& metric, const Peers& peers) {
  Metric bound = metric.metric;
  bound.needs.clear();
  bound.compute = [&](const Subject&) { return metric.compute(peers); };
  return score(bound, Subject(Views{}));
}

}  // namespace conoscope::metrics
