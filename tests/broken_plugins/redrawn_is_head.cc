// SPDX-License-Identifier: Apache-2.0
// Its network drawn anew is the one that it has, but for roundings.

#include "tests/broken_plugins/head_differs.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public conoscope::broken::Redrawn {
 public:
  using Redrawn::Redrawn;
  double factor(sdk::Seed seed) const override {
    return 1.0 + 1e-6 * static_cast<double>(seed.value() % 7);
  }
};

}  // namespace

CONOSCOPE_MODEL(Broken, "redrawn_is_head", "1.0.0", BROKEN_REDRAWN_METADATA)
