// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_complexity.h"

#include <doctest/doctest.h>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_complexity: Table 3 of the paper") {
  const IndexVector one(100, 1);
  CHECK(surf_complexity(one).flops == 200);
  CHECK(surf_complexity(one).params == 0);
  CHECK(ice_complexity(one, 2048).flops == 614400);
  CHECK(ice_complexity(one, 2048).params == 0);
  CHECK(c_shap_complexity(100, 1, 2048, 500).flops == 205309600);
  CHECK(c_shap_complexity(100, 1, 2048, 500).params == 1027048);
}

TEST_CASE("surf_complexity: outputs with different numbers of concepts") {
  CHECK(surf_complexity({3, 0, 2}).flops == 10);
  CHECK(ice_complexity({3, 0, 2}, 10).flops == 10 * (7 + 1 + 5));
}

TEST_CASE("surf_complexity: throws") {
  CHECK_THROWS_SAYING(surf_complexity({}), std::invalid_argument, "surf_complexity", "no output");
  CHECK_THROWS_SAYING(surf_complexity({1, -2}), std::invalid_argument, "-2 concepts");
  CHECK_THROWS_SAYING(ice_complexity({}, 3), std::invalid_argument, "ice_complexity");
  CHECK_THROWS_SAYING(ice_complexity({1, -2}, 3), std::invalid_argument, "-2 concepts");
  CHECK_THROWS_SAYING(ice_complexity({1}, 0), std::invalid_argument, "width is 0");
  CHECK_THROWS_SAYING(c_shap_complexity(0, 1, 1, 1), std::invalid_argument, "0 outputs");
  CHECK_THROWS_SAYING(c_shap_complexity(1, 0, 1, 1), std::invalid_argument, "0 concepts");
  CHECK_THROWS_SAYING(c_shap_complexity(1, 1, 0, 1), std::invalid_argument, "width 0");
  CHECK_THROWS_SAYING(c_shap_complexity(1, 1, 1, 0), std::invalid_argument, "hidden 0");
}

}  // namespace

}  // namespace conoscope::tests
