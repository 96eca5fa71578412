#include "results/report/parts.h"

#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

std::map<BoardSubject, Parts> parts_of(Store& store, const std::string& run,
                                       const std::string& metric) {
  Statement& query = store.connection().kept(query_text("parts"));
  query.bind_filter("metric", metric).bind_filter("run", run);
  std::map<BoardSubject, Parts> out;
  while (query.step())
    if (!query.is_null(5))
      out[{query.text(0), query.text(1), query.text(2)}][query.integer(4)].push_back(query.real(5));
  query.reset();
  return out;
}

}  // namespace conoscope::results
