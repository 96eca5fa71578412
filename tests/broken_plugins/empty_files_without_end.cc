// SPDX-License-Identifier: Apache-2.0
// Makes files that hold nothing, more than anybody would count.

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("empty_files_without_end", {
  for (int i = 0;; ++i)
    ::close(::creat((context.scratch() + "/" + std::to_string(i)).c_str(), 0600));
})
