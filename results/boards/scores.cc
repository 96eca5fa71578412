// SPDX-License-Identifier: Apache-2.0
#include "results/boards/scores.h"

#include "results/boards/bind_score_filter.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

std::vector<CurrentScore> current_scores(Store& store, const ScoreFilter& filter) {
  Statement& query = store.connection().kept(query_text("scores"));
  bind_score_filter(query, filter, filter.metric).bind_filter("control", filter.control);
  std::vector<CurrentScore> scores;
  while (query.step())
    scores.push_back({query.text(0), query.text(1), query.text(2), query.text(3), query.text(4),
                      query.text(5), query.integer(6), query.real(7), query.text(8), query.text(9),
                      query.text(10)});
  query.reset();
  return scores;
}

std::vector<std::string> metric_names(Store& store) {
  Statement query(store.connection(), "SELECT metric FROM metric_key ORDER BY 1");
  std::vector<std::string> names;
  while (query.step()) names.push_back(query.text(0));
  return names;
}

}  // namespace conoscope::results
