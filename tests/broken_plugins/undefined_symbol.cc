// SPDX-License-Identifier: Apache-2.0
// Calls a function that nobody has.

#include "tests/broken_plugins/base.h"

extern "C" double conoscope_nobody_has_this(double);

BROKEN_EXPLAINER("undefined_symbol", {
  const auto made = conoscope::broken::explain(head, out);
  made.importance[0] = conoscope_nobody_has_this(1.0);
})
