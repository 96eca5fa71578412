// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

TEST_CASE("golden: statistics") {
  Kinds kinds;
  register_statistics(kinds);
  check_family("statistics", "leakage", kinds);
}

}  // namespace conoscope::tests::golden
