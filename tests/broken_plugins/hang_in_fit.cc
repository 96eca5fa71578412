// SPDX-License-Identifier: Apache-2.0
// Never comes back from fit(), and does not ask whether it should.

#include <unistd.h>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("hang_in_fit", {
  while (true) ::usleep(1000);
})
