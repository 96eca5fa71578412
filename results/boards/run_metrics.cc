// SPDX-License-Identifier: Apache-2.0
#include "results/boards/run_metrics.h"

#include "results/store/error.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

bool is_asked(Store& store, const std::string& run, const std::string& metric) {
  Statement query(store.connection(), "SELECT 1 FROM run_metric WHERE run = ? AND metric = ?");
  query.bind_all(run, metric);
  return query.step();
}

void require_asked(Store& store, const std::string& run, const std::string& metric) {
  Statement query(store.connection(),
                  "SELECT DISTINCT metric FROM run_metric WHERE ?1 = '' OR run = ?1 ORDER BY 1");
  query.bind_all(run);
  std::string names;
  while (query.step()) {
    if (query.text(0) == metric) return;
    names.append(names.empty() ? "" : ", ").append(query.text(0));
  }
  throw StoreError(StoreProblem::not_found, store.path().string() +
                                                ": no run here asks for the metric " + metric +
                                                "; asked for: " + (names.empty() ? "none" : names));
}

std::string direction_of(Store& store, const std::string& metric) {
  Statement query(store.connection(), "SELECT direction FROM metric_key WHERE metric = ?");
  return query.bind_all(metric).step() ? query.text(0) : std::string();
}

bool is_over_seeds(Store& store, const std::string& metric) {
  Statement query(store.connection(),
                  "SELECT 1 FROM metric_key WHERE metric = ? AND grp = 'over_seeds'");
  return query.bind_all(metric).step();
}

}  // namespace conoscope::results
