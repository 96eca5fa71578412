// SPDX-License-Identifier: Apache-2.0
#include "harness/app/metric_order.h"

#include <algorithm>

#include "metrics/catalogue.h"
#include "results/analysis/verdict.h"

namespace conoscope::app {

std::vector<std::string> in_catalogue_order(const std::vector<std::string>& metrics) {
  std::vector<std::string> out = metrics;
  std::stable_sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
    return metrics::catalogue().place(a) < metrics::catalogue().place(b);
  });
  return out;
}

bool can_be_judged(const std::string& metric) {
  const auto* info = metrics::catalogue().metric(metric);
  if (info == nullptr) return true;
  return results::can_be_judged(metrics::to_string(info->direction), info->unit);
}

}  // namespace conoscope::app
