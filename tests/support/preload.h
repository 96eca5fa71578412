// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace conoscope::testing {

/// LD_PRELOAD for a command that is to be given this library. ThreadSanitizer's runtime has to be
/// ready before anybody stands before a call of the C library, and so comes first. AddressSanitizer's
/// is loaded behind it, with ASAN_OPTIONS=verify_asan_link_order=0.
inline std::string preload(const std::string& library) {
  return std::string(CONOSCOPE_TEST_PRELOADED_FIRST) + library;
}

}  // namespace conoscope::testing
