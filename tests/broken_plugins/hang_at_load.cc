// SPDX-License-Identifier: Apache-2.0
// Never comes back from its static initialiser.

#include <unistd.h>

#include "tests/broken_plugins/base.h"

namespace {

struct Hang {
  Hang() {
    while (true) ::usleep(1000);
  }
} hang;

}  // namespace

BROKEN_EXPLAINER("hang_at_load", { conoscope::broken::explain(head, out); })
