// SPDX-License-Identifier: Apache-2.0
// Says that all is well and leaves NaN.

#include <limits>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("nan_output", {
  const auto made = conoscope::broken::explain(head, out);
  made.cavs[1] = std::numeric_limits<double>::quiet_NaN();
})
