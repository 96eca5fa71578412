// Says itself, in the host's words, that its work is done, and ends the process with code 0.

#include <unistd.h>

#include <string_view>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("forges_done", {
  conoscope::broken::explain(head, out);
  constexpr std::string_view kForged = "done\t1\ndone\tdone\n";
  [[maybe_unused]] const auto written = ::write(3, kForged.data(), kForged.size());
  ::_exit(0);
})
