// SPDX-License-Identifier: Apache-2.0
// Writes in a folder whose path is longer than a call takes, so that nobody sees how much.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("deep_folders", {
  const std::string name(250, 'x');
  if (::chdir(context.scratch().c_str()) != 0) throw std::runtime_error("no scratch folder");
  for (int i = 0; i < 20; ++i)
    if (::mkdir(name.c_str(), 0700) != 0 || ::chdir(name.c_str()) != 0)
      throw std::runtime_error("cannot go deeper");
  while (true) ::pause();
})
