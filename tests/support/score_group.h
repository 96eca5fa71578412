// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "metrics/catalogue.h"

namespace conoscope::tests {

/// The scores of all metrics of a group, or of the one metric of that name, by name.
inline std::map<std::string, metrics::Score> score_group(const metrics::Views& views,
                                                         std::string_view group) {
  const metrics::Subject subject(views);
  std::map<std::string, metrics::Score> scores;
  for (const metrics::Metric* metric : metrics::catalogue().select(group))
    scores[metric->name] = metrics::score(*metric, subject);
  return scores;
}

}  // namespace conoscope::tests
