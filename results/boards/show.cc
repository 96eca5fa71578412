// SPDX-License-Identifier: Apache-2.0
#include "results/boards/show.h"

#include "results/store/query.h"

namespace conoscope::results {

CellReport show(Store& store, std::string_view cell_prefix) {
  const std::map<std::string, std::string> cell = {{"cell", store.find_cell(cell_prefix)}};
  return {saved_query(store, "show_cell", cell), saved_query(store, "show", cell),
          saved_query(store, "show_scores", cell), saved_query(store, "show_parts", cell)};
}

}  // namespace conoscope::results
