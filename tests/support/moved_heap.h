// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace conoscope::testing {

/// What `compute` returns, again and again, while memory that is held elsewhere moves what it
/// allocates: the same each time where sums do not depend on addresses.
template <typename Compute>
auto with_moved_heap(Compute&& compute) {
  std::vector<std::unique_ptr<char[]>> held;
  std::vector<decltype(compute())> out;
  for (std::size_t turn = 0; turn < 64; ++turn) {
    out.push_back(compute());
    for (std::size_t size = 8; size < 100'000; size *= 2)
      held.push_back(std::make_unique<char[]>(size + 16 * (turn % 4)));
  }
  return out;
}

}  // namespace conoscope::testing
