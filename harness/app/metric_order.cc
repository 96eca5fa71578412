#include "harness/app/metric_order.h"

#include <algorithm>

#include "metrics/catalogue.h"
#include "results/analysis/verdict.h"

namespace conoscope::app {

std::vector<std::string> in_catalogue_order(const std::vector<std::string>& metrics) {
  std::vector<std::string> out;
  for (const auto& info : metrics::catalogue().metrics())
    if (std::find(metrics.begin(), metrics.end(), info.name) != metrics.end())
      out.emplace_back(info.name);
  for (const auto& name : metrics)
    if (metrics::catalogue().metric(name) == nullptr) out.push_back(name);
  return out;
}

bool can_be_judged(const std::string& metric) {
  const auto* info = metrics::catalogue().metric(metric);
  if (info == nullptr) return true;
  return results::can_be_judged(metrics::to_string(info->direction), info->unit);
}

}  // namespace conoscope::app
