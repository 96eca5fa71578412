// SPDX-License-Identifier: Apache-2.0
// Does not hear that it should stop: with nothing to wait for, it works for an hour.

#include <unistd.h>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("deaf", {
  conoscope::broken::explain(head, out);
  if (context.cancelled()) ::sleep(3600);
})
