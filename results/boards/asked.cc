#include "results/boards/asked.h"

#include "results/store/error.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

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

void require_component(Store& store, const std::string& run, const std::string& kind,
                       const std::string& name) {
  if (name.empty()) return;
  Statement query(
      store.connection(),
      "SELECT DISTINCT name, plugin_id, key FROM component WHERE kind = ?2 AND (?1 = '' "
      "OR EXISTS (SELECT 1 FROM run_cell JOIN cell ON cell.key = run_cell.cell WHERE "
      "run_cell.run = ?1 AND component.key IN (cell.dataset, cell.model, "
      "cell.explainer))) ORDER BY 1");
  query.bind_all(run, kind);
  std::string names;
  for (std::string last; query.step(); last = query.text(0)) {
    for (int column = 0; column < 3; ++column)
      if (query.text(column) == name) return;
    if (query.text(0) != last) names.append(names.empty() ? "" : ", ").append(query.text(0));
  }
  throw StoreError(StoreProblem::not_found, store.path().string() + ": no " + kind + " \"" + name +
                                                "\"" + (run.empty() ? "" : " in this run") +
                                                "; there are " + (names.empty() ? "none" : names));
}

}  // namespace conoscope::results
