// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_prob_mae.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_prob_mae: by hand") {
  const Matrix y{{0.0, std::log(3.0)}}, s{{std::log(3.0), std::log(3.0)}};
  CHECK(surf_prob_mae(y, s).value == doctest::Approx(0.125).epsilon(1e-14));
  CHECK(surf_prob_mae(y, y).value == 0.0);
  CHECK(surf_prob_mae(Matrix{{1e4}}, Matrix{{-1e4}}).value == 1.0);
}

TEST_CASE("surf_prob_mae: swapping presence and absence changes nothing") {
  const Matrix y = normal_matrix(30, 5, 1), s = normal_matrix(30, 5, 2);
  CHECK(surf_prob_mae(-y, -s).value == doctest::Approx(surf_prob_mae(y, s).value).epsilon(1e-13));
}

TEST_CASE("surf_prob_mae: throws") { check_refuses_bad_pairs(surf_prob_mae, "surf_prob_mae"); }

}  // namespace

}  // namespace conoscope::tests
