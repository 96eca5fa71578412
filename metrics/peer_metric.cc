#include "metrics/peer_metric.h"

#include "metrics/stability/stability.h"

namespace conoscope::metrics {

const PeerMetric* peer_metric(std::string_view name) {
  static const std::vector<PeerMetric> all = stability_metrics();
  for (const PeerMetric& known : all)
    if (known.metric.name == name) return &known;
  return nullptr;
}

Score score(const PeerMetric& metric, const Peers& peers) {
  Metric bound = metric.metric;
  bound.needs.clear();
  bound.compute = [&](const Subject&) { return metric.compute(peers); };
  return score(bound, Subject(Views{}));
}

}  // namespace conoscope::metrics
