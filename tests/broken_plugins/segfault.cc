// SPDX-License-Identifier: Apache-2.0
// Writes to address 0 in fit().

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("segfault", {
  conoscope::broken::explain(head, out);
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
})
