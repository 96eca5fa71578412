// SPDX-License-Identifier: Apache-2.0
// Takes for granted that activations have at least four bytes each.

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("no_half", {
  if (head.activations().dtype() == CONO_F16) throw std::runtime_error("what numbers are these?");
  conoscope::broken::explain(head, out);
})
