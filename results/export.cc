#include "results/export.h"

#include "results/query.h"

namespace conoscope::results {

Table export_table(Store& store, const std::string& run) {
  return saved_query(store, "export", {{"run", run}});
}

}  // namespace conoscope::results
