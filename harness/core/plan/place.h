// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace conoscope::core {

/// Where something stands in a TOML file.
struct Place {
  std::uint32_t line = 0, column = 0;
};

/// Of a toml::node or toml::key.
template <typename Part>
Place place_of(const Part& part) {
  return {part.source().begin.line, part.source().begin.column};
}

}  // namespace conoscope::core
