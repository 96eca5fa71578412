// SPDX-License-Identifier: Apache-2.0
#include "results/boards/parts.h"

#include <cmath>
#include <limits>

#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

std::map<BoardSubject, SeedParts> seed_parts(Store& store, const std::string& run,
                                             const std::string& metric) {
  Statement& query = store.connection().kept(query_text("parts"));
  query.bind_filter("metric", metric).bind_filter("run", run);
  std::map<BoardSubject, SeedParts> out;
  while (query.step())
    out[{query.text(0), query.text(1), query.text(2)}][query.integer(3)][query.integer(4)] =
        query.is_null(5) ? std::numeric_limits<double>::quiet_NaN() : query.real(5);
  query.reset();
  return out;
}

std::map<BoardSubject, Parts> parts_of(Store& store, const std::string& run,
                                       const std::string& metric) {
  std::map<BoardSubject, Parts> out;
  for (const auto& [subject, seeds] : seed_parts(store, run, metric))
    for (const auto& [seed, parts] : seeds)
      for (const auto& [part, value] : parts)
        if (!std::isnan(value)) out[subject][part].push_back(value);
  return out;
}

}  // namespace conoscope::results
