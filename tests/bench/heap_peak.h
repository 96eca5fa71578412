// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace conoscope::bench {

/// What work asks of the heap: the most bytes it holds at once beyond those held before, its result
/// included. Counted in malloc itself, which heap_peak.cc replaces in the whole program, so that
/// operator new and Eigen's memory count alike; blocks count as long as malloc makes them.
class HeapPeak {
 public:
  HeapPeak();  ///< counts from here; the last one made counts
  std::int64_t bytes() const;

 private:
  std::int64_t before_;
};

}  // namespace conoscope::bench
