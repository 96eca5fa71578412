// SPDX-License-Identifier: Apache-2.0
#include "results/store/export.h"

#include <cstddef>
#include <vector>

#include "results/store/checksum.h"
#include "results/store/query.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

Table export_table(Store& store, const std::string& run) {
  verify(store);
  return saved_query(store, "export", {{"run", run}});
}

void export_in_parts(Store& store, const std::string& run,
                     const std::function<void(const Table& part)>& take,
                     std::size_t cells_of_a_part) {
  verify(store);
  std::vector<std::string> cells;
  Statement order(store.connection(), query_text("export_order"));
  order.bind_filter("run", run);
  while (order.step()) cells.push_back(order.text(0));
  std::size_t at = 0;
  do {
    std::string keys = "[";
    for (std::size_t i = 0; i < cells_of_a_part && at < cells.size(); ++i, ++at)
      keys.append(i == 0 ? "\"" : ",\"").append(cells[at]).append("\"");
    take(saved_query(store, "export", {{"run", run}, {"cells", keys + "]"}}));
  } while (at < cells.size());
}

}  // namespace conoscope::results
