// SPDX-License-Identifier: Apache-2.0
// Moves to the process group of whoever started it, where no signal to its own group finds it, and
// hangs.

#include <unistd.h>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("leaves_group", {
  ::setpgid(0, ::getpgid(::getppid()));
  while (true) ::pause();
})
