// SPDX-License-Identifier: Apache-2.0
// Reads a clock.

#include <chrono>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("nondeterministic", {
  const auto made = conoscope::broken::explain(head, out);
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  made.importance[0] = 1.0 + static_cast<double>(now % 1000003);
})
