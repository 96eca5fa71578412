// SPDX-License-Identifier: Apache-2.0
#include "results/boards/status.h"

#include "results/store/query.h"

namespace conoscope::results {

StatusReport status(Store& store, const std::string& run) {
  return {saved_query(store, "status", {{"run", run}}),
          saved_query(store, "failures", {{"run", run}}),
          saved_query(store, "messages", {{"run", run}})};
}

Table origins(Store& store, const std::string& run) {
  return saved_query(store, "origins", {{"run", run}});
}

}  // namespace conoscope::results
