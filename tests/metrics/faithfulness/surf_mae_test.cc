// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_mae.h"

#include <doctest/doctest.h>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_mae: by hand") {
  const Matrix y{{1.0, -2.0}, {0.0, 3.0}}, s{{0.5, 0.0}, {0.0, 7.0}};
  CHECK(surf_mae(y, s).value == doctest::Approx((0.5 + 2.0 + 0.0 + 4.0) / 4.0).epsilon(1e-15));
  CHECK(surf_mae(y, y).value == 0.0);
}

TEST_CASE("surf_mae: order of samples and common shifts do not matter, scale does") {
  const Matrix y = normal_matrix(50, 7, 1), s = normal_matrix(50, 7, 2);
  CHECK(surf_mae(reversed_rows(y), reversed_rows(s)).value ==
        doctest::Approx(surf_mae(y, s).value).epsilon(1e-14));
  const Matrix shift = Matrix::Constant(50, 7, 8.0);
  CHECK(surf_mae(y + shift, s + shift).value ==
        doctest::Approx(surf_mae(y, s).value).epsilon(1e-12));
  CHECK(surf_mae(4.0 * y, 4.0 * s).value == 4.0 * surf_mae(y, s).value);
  CHECK(surf_mae(s, y).value == surf_mae(y, s).value);
}

TEST_CASE("surf_mae: rows that lie further apart than their length") {
  const Matrix wide = normal_matrix(9, 12, 3);
  const Matrix y = wide.leftCols(5), s = wide.rightCols(5);
  CHECK(surf_mae(wide.leftCols(5), wide.rightCols(5)).value == surf_mae(y, s).value);
}

TEST_CASE("surf_mae: throws") { check_refuses_bad_pairs(surf_mae, "surf_mae"); }

}  // namespace

}  // namespace conoscope::tests
