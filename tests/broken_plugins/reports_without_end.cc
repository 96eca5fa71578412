// SPDX-License-Identifier: Apache-2.0
// Fills its wire: with progress, and then with a message without an end.

#include <unistd.h>

#include <string>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("reports_without_end", {
  std::string lines;
  while (lines.size() < 1 << 16) lines += "progress\t0.5\n";
  for (int i = 0; i < 256; ++i)
    [[maybe_unused]] const auto written = ::write(3, lines.data(), lines.size());
  const std::string endless(1 << 16, 'x');
  while (true) [[maybe_unused]] const auto written = ::write(3, endless.data(), endless.size());
})
