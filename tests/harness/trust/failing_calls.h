// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests and the library that they preload into the command share: a mapped file beside the
// library, LIBRARY.plan.

#include <atomic>
#include <cstdint>

namespace conoscope::testing {

/// Of all calls that touch files below a folder, in all processes of a run, the n-th fails.
struct FailingCalls {
  std::atomic<std::uint64_t> calls;  ///< so far
  std::uint64_t fail_at;             ///< counted from 1; 0: none
  std::int32_t error;                ///< errno; 0: a write that takes only half, where it is one
  char folder[1024];
  char failed[1200];  ///< which it was, for people
};

}  // namespace conoscope::testing
