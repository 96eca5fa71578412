// SPDX-License-Identifier: Apache-2.0
// Says seeded = false and uses the seed.

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("seed_dependent", {
  const auto made = conoscope::broken::explain(head, out);
  made.importance[0] = sdk::Random(context.seed()).uniform();
})
