// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace conoscope::core {

/// How many elements an array of this shape has; nullopt: an extent is negative, or more than any
/// disk holds. An extent of 0 does not hide what stands beside it, for the others' product is the
/// step from row to row.
inline std::optional<std::size_t> element_count(std::span<const std::int64_t> shape) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  std::uint64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    empty = empty || extent == 0;
    const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
    if (count > kMost / factor) return std::nullopt;
    count *= factor;
  }
  return empty ? 0 : count;
}

}  // namespace conoscope::core
