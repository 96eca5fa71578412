// SPDX-License-Identifier: Apache-2.0
#include "results/boards/provenance.h"

#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

std::vector<Provenance> provenances(Store& store, const std::string& cell) {
  Statement query(store.connection(), query_text("provenance"));
  query.bind_filter("cell", cell);
  std::vector<Provenance> out;
  for (std::string last; query.step(); last = query.text(0)) {
    if (out.empty() || query.text(0) != last) out.emplace_back();
    Provenance& one = out.back();
    one.seed = query.integer(4);
    one.control = query.text(5);
    one.environment = query.text(6);
    one.binaries = query.text(7);
    const std::string kind = query.text(1);
    UsedComponent& part = kind == "dataset" ? one.dataset
                          : kind == "model" ? one.model
                                            : one.explainer;
    part = {query.text(2), query.text(3)};
  }
  return out;
}

std::vector<std::string> cells_explained_by(Store& store, const std::string& run,
                                            const std::string& explainers) {
  Statement query(
      store.connection(),
      "SELECT cell.key FROM cell JOIN component AS e ON e.key = cell.explainer "
      "LEFT JOIN run_component AS en ON en.run = :run AND en.component = e.key "
      "WHERE cell.control = 'none' AND among(:explainer, e.key, coalesce(en.name, e.name), "
      "e.plugin_id) AND (:run IS NULL OR EXISTS (SELECT 1 FROM run_cell WHERE run_cell.run = :run "
      "AND run_cell.cell = cell.key)) "
      "ORDER BY cell.dataset, cell.model, cell.explainer, cell.seed, cell.key");
  query.bind_filter("run", run).bind_filter("explainer", explainers);
  std::vector<std::string> cells;
  while (query.step()) cells.push_back(query.text(0));
  return cells;
}

}  // namespace conoscope::results
