// SPDX-License-Identifier: Apache-2.0
#include "results/boards/history.h"

#include "results/store/query.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

Table history(Store& store, const HistoryOptions& options) {
  Statement known(store.connection(), "SELECT 1 FROM metric_key WHERE metric = ?");
  if (!known.bind_all(options.metric).step())
    throw StoreError(StoreProblem::not_found,
                     store.path().string() + ": there is no metric \"" + options.metric + "\"");
  return saved_query(
      store, "history",
      {{"metric", options.metric}, {"component", options.component}, {"control", options.control}});
}

}  // namespace conoscope::results
