// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace conoscope::models {

/// Numbers of a network's making: row-major float32, samples first.
struct Block {
  std::vector<std::int64_t> shape;
  std::vector<float> values;

  std::int64_t samples() const { return shape.empty() ? 0 : shape[0]; }
  bool operator==(const Block&) const = default;
};

/// "2 x 512 x 7 x 7"
inline std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t side : shape) text += (text.empty() ? "" : " x ") + std::to_string(side);
  return text.empty() ? "a single number" : text;
}

}  // namespace conoscope::models
