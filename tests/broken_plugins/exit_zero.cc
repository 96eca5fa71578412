// SPDX-License-Identifier: Apache-2.0
// Ends the process with code 0 in the middle of its work.

#include <cstdlib>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("exit_zero", {
  conoscope::broken::explain(head, out);
  std::exit(0);
})
