// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "results/report/embedded.h"

namespace conoscope::results {

std::string_view embedded_text(std::string_view name) {
  for (const auto& file : embedded_files())
    if (file.name == name) return file.text;
  throw std::logic_error("report: " + std::string(name) + " is not in this build");
}

}  // namespace conoscope::results
