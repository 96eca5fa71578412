#include "results/store/export.h"

#include "results/store/checksum.h"
#include "results/store/query.h"

namespace conoscope::results {

Table export_table(Store& store, const std::string& run) {
  verify(store);
  return saved_query(store, "export", {{"run", run}});
}

}  // namespace conoscope::results
