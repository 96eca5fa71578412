// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_emd.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_emd: by hand") {
  // softmax (3/4, 1/4) against (1/2, 1/2)
  const Matrix y{{std::log(3.0), 0.0}}, s{{5.0, 5.0}};
  CHECK(surf_emd(y, s).value == doctest::Approx(0.25).epsilon(1e-14));
  CHECK(surf_emd(y, y).value == 0.0);
  CHECK(surf_emd(s, y).value == surf_emd(y, s).value);
}

TEST_CASE("surf_emd: logits in the thousands neither overflow nor leave [0, 1]") {
  CHECK(surf_emd(Matrix{{9000.0, -9000.0, 0.0}}, Matrix{{-9000.0, 9000.0, 0.0}}).value == 1.0);
  CHECK(surf_emd(Matrix{{1e300, -1e300}}, Matrix{{1e300, 0.0}}).value == doctest::Approx(0.0));
}

TEST_CASE("surf_emd: a shift of all of a sample's logits changes nothing") {
  const Matrix y = normal_matrix(40, 6, 1), s = normal_matrix(40, 6, 2);
  Matrix shifted = s;
  shifted.row(3).array() += 100.0;
  CHECK(surf_emd(y, shifted).value == doctest::Approx(surf_emd(y, s).value).epsilon(1e-12));
  CHECK(surf_emd(reversed_rows(y), reversed_rows(s)).value ==
        doctest::Approx(surf_emd(y, s).value).epsilon(1e-14));
}

TEST_CASE("surf_emd: one output has nothing to move") {
  CHECK(surf_emd(Matrix{{1.0}, {2.0}}, Matrix{{7.0}, {-3.0}}).value == 0.0);
}

TEST_CASE("surf_emd: throws") { check_refuses_bad_pairs(surf_emd, "surf_emd"); }

}  // namespace

}  // namespace conoscope::tests
