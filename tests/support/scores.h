#pragma once

#include <map>
#include <string>
#include <string_view>

#include "metrics/catalogue.h"

namespace conoscope::tests {

/// What all metrics of a group say of one subject, by name.
inline std::map<std::string, metrics::Score> scores_of(std::string_view group,
                                                       const metrics::Views& views) {
  const metrics::Subject subject(views);
  std::map<std::string, metrics::Score> out;
  for (const metrics::Metric* metric : metrics::catalogue().select(group))
    out.emplace(metric->name, metrics::score(*metric, subject));
  return out;
}

}  // namespace conoscope::tests
