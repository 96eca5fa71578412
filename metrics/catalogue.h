#pragma once

#include <string_view>
#include <vector>

#include "metrics/metric.h"

namespace conoscope::metrics {

/// Every metric there is, in the order of the boards.
class Catalogue {
 public:
  /// throws  std::invalid_argument: a name that a metric or a group has already
  void add(std::vector<Metric> metrics);

  const std::vector<Metric>& metrics() const { return metrics_; }
  /// In the order of their first metrics.
  const std::vector<std::string_view>& groups() const { return groups_; }

  /// Null if there is none of that name.
  const Metric* metric(std::string_view name) const;

  /// The metrics that a name stands for: all of a group, or the one of that name; empty if neither.
  std::vector<const Metric*> select(std::string_view metric_or_group) const;

 private:
  bool is_group(std::string_view name) const;

  std::vector<Metric> metrics_;
  std::vector<std::string_view> groups_;
};

/// The catalogue of this build. Safe to call from any thread.
const Catalogue& catalogue();

}  // namespace conoscope::metrics
