// SPDX-License-Identifier: Apache-2.0
#include "results/formats/json.h"

namespace conoscope::results {

std::string write_ndjson(const Table& table) {
  std::string out;
  for (const auto& row : table.rows) out += json_object(table, row) + "\n";
  return out;
}

}  // namespace conoscope::results
