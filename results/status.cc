#include "results/status.h"

#include "results/query.h"

namespace conoscope::results {

StatusReport status(Store& store, const std::string& run) {
  return {saved_query(store, "status", {{"run", run}}),
          saved_query(store, "failures", {{"run", run}})};
}

}  // namespace conoscope::results
