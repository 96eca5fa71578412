// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "results/store/sqlite.h"

namespace conoscope::results {

/// Binds what every query of scores asks for: a metric, and the run and components to keep.
template <class Options>
Statement& bind_score_filter(Statement& query, const Options& options, std::string_view metric) {
  return query.bind_filter("metric", metric)
      .bind_filter("run", options.run)
      .bind_filter("dataset", options.dataset)
      .bind_filter("model", options.model)
      .bind_filter("explainer", options.explainer);
}

}  // namespace conoscope::results
