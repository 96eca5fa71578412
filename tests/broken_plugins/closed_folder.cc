// SPDX-License-Identifier: Apache-2.0
// Makes a folder that is closed, so that nobody sees how much is in it.

#include <sys/stat.h>
#include <unistd.h>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("closed_folder", {
  ::mkdir((context.scratch() + "/closed").c_str(), 0);
  while (true) ::pause();
})
