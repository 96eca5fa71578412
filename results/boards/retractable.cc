// SPDX-License-Identifier: Apache-2.0
#include "results/boards/retractable.h"

#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

std::vector<Retractable> retractable(Store& store) {
  Statement query(store.connection(), query_text("retractable"));
  std::vector<Retractable> out;
  while (query.step())
    out.push_back({query.text(0), query.text(1), query.text(2), query.text(3),
                   query.integer(4) != 0, query.text(5), query.text(6)});
  return out;
}

}  // namespace conoscope::results
