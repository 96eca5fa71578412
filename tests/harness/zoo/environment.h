// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "tests/support/sanitized.h"

namespace conoscope::testing {

/// A sanitizer turns a signal into an exit code of its own and a full heap into an abort; told not
/// to, workers end as they do in every other build.
inline void let_workers_die_naturally() {
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) {
    const char* before = std::getenv(name);
    ::setenv(name,
             (std::string(before ? before : "") +
              ":handle_segv=0:handle_abort=0:allocator_may_return_null=1:detect_leaks=0")
                 .c_str(),
             1);
  }
}

inline std::string broken_plugin(const std::string& name) {
  return std::string(CONOSCOPE_TEST_BROKEN_DIR) + "/" + name + ".so";
}
inline std::string good_plugin(const std::string& name) {
  return std::string(CONOSCOPE_TEST_PLUGIN_DIR) + "/" + name + ".so";
}

}  // namespace conoscope::testing
