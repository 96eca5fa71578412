// SPDX-License-Identifier: Apache-2.0
// Its network drawn anew is the same one whatever the seed.

#include "tests/broken_plugins/head_differs.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public conoscope::broken::Redrawn {
 public:
  using Redrawn::Redrawn;
  double factor(sdk::Seed) const override { return -1.0; }
};

}  // namespace

CONOSCOPE_MODEL(Broken, "redrawn_ignores_seed", "1.0.0", BROKEN_REDRAWN_METADATA)
