// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
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

  /// Null if there is none of that name. ois(hidden=8) is ois with another setting: a metric of its
  /// own, under that name.
  const Metric* metric(std::string_view name) const;

  /// The metrics that a name stands for: all of a group, or the one of that name; empty if neither.
  std::vector<const Metric*> select(std::string_view metric_or_group) const;

  /// The place on boards, of ois(hidden=8) that of ois; metrics().size() where there is none.
  std::size_t place(std::string_view name) const;

  /// What may stand in the brackets, where a name is wrong only there: "ois takes hidden, epochs and
  /// batch, whole numbers from 1, as ois(hidden=8)". Empty where that is not the matter.
  std::string settings_text(std::string_view name) const;

 private:
  bool is_group(std::string_view name) const;
  const Metric* declared(std::string_view name) const;
  const Metric* with_settings(std::string_view name) const;

  std::vector<Metric> metrics_;
  std::vector<std::string_view> groups_;

  /// Metrics with settings that were asked for; they are never forgotten, since others point at them.
  struct MetricsWithSettings {
    std::mutex mutex;
    std::map<std::string, Metric, std::less<>> metrics;
  };
  std::unique_ptr<MetricsWithSettings> asked_with_settings_ =
      std::make_unique<MetricsWithSettings>();
};

/// The catalogue of this build. Safe to call from any thread.
const Catalogue& catalogue();

}  // namespace conoscope::metrics
