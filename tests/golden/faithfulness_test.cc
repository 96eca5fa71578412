// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

TEST_CASE("golden: faithfulness") {
  Kinds kinds;
  register_faithfulness_measures(kinds);
  register_faithfulness_numerics(kinds);
  register_faithfulness_shap_sae(kinds);
  register_faithfulness_subspaces(kinds);
  register_faithfulness_surf(kinds);
  register_faithfulness_craft_cdisco(kinds);
  register_faithfulness_table(kinds);
  check_family("faithfulness", "faithfulness", kinds);
}

}  // namespace conoscope::tests::golden
