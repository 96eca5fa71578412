// SPDX-License-Identifier: Apache-2.0
// Takes for granted that its input is contiguous.

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("strides_ignored", {
  const auto made = conoscope::broken::explain(head, out);
  if (head.activations().dtype() == CONO_F64)
    made.importance[0] = static_cast<const double*>(head.activations().raw().data)[3];
})
