// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

TEST_CASE("golden: purity") {
  Kinds kinds;
  register_purity(kinds);
  check_family("purity", "leakage", kinds);
}

}  // namespace conoscope::tests::golden
