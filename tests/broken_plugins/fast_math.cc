// SPDX-License-Identifier: Apache-2.0
// Ordinary code; what is wrong is how it is built: with -Ofast, past conoscope_add_plugin().

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("fast_math", { conoscope::broken::explain(head, out); })
