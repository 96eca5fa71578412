// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

TEST_CASE("golden: published settings") {
  Kinds kinds;
  register_settings_leakage(kinds);
  register_settings_metrics(kinds);
  register_settings_models(kinds);
  register_settings_purity(kinds);
  check_family("settings", "settings", kinds);
}

}  // namespace conoscope::tests::golden
