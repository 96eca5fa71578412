// SPDX-License-Identifier: Apache-2.0
// Its static initialiser writes to address 0.

#include "tests/broken_plugins/base.h"

namespace {

struct Crash {
  Crash() {
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  }
} crash;

}  // namespace

BROKEN_EXPLAINER("crash_at_load", { conoscope::broken::explain(head, out); })
