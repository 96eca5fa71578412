// Fills the report channel: lines without end, and then one without an end.

#include <unistd.h>

#include <string>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("reports_without_end", {
  const std::string lines(1 << 16, '\n');
  for (int i = 0; i < 256; ++i)
    [[maybe_unused]] const auto written = ::write(3, lines.data(), lines.size());
  const std::string endless(1 << 16, 'x');
  while (true) [[maybe_unused]] const auto written = ::write(3, endless.data(), endless.size());
})
