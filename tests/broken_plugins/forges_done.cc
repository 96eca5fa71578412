// SPDX-License-Identifier: Apache-2.0
// Says itself, past the functions that say so, that its work is done, and ends the process with code 0.

#include <unistd.h>

#include <string_view>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("forges_done", {
  conoscope::broken::explain(head, out);
  constexpr std::string_view kForged = "ok\nok\ndone\n";
  [[maybe_unused]] const auto written = ::write(3, kForged.data(), kForged.size());
  ::_exit(0);
})
