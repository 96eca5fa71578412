// SPDX-License-Identifier: Apache-2.0
// Prints on standard output.

#include <cstdio>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("stdout_noise", {
  std::puts("epoch 1 of 1");
  conoscope::broken::explain(head, out);
})
