// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

TEST_CASE("golden: disentanglement") {
  Kinds kinds;
  register_robustness(kinds);
  register_disentanglement(kinds);
  register_disentanglement_models(kinds);
  register_vae_losses(kinds);
  check_family("disentanglement", "disentanglement", kinds);
}

}  // namespace conoscope::tests::golden
