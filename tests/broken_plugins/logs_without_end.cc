// SPDX-License-Identifier: Apache-2.0
// Writes to standard error without end.

#include <unistd.h>

#include <string>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("logs_without_end", {
  const std::string text(1 << 16, 'x');
  while (true)
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
})
