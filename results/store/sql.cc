// SPDX-License-Identifier: Apache-2.0
#include "results/store/sql.h"

#include <stdexcept>
#include <string>

namespace conoscope::results {

std::string_view query_text(std::string_view name) {
  std::string names;
  for (const SqlFile& file : query_files()) {
    if (file.name == name) return file.text;
    names += names.empty() ? "" : ", ";
    names += file.name;
  }
  throw std::invalid_argument("query_text: no saved query \"" + std::string(name) +
                              "\"; there are " + names);
}

}  // namespace conoscope::results
