// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_top1.h"

#include <doctest/doctest.h>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_top1: by hand") {
  const Matrix y{{1.0, 2.0}, {3.0, 0.0}, {0.0, 1.0}, {5.0, 4.0}};
  const Matrix s{{0.0, 9.0}, {0.0, 1.0}, {2.0, 3.0}, {1.0, 0.0}};
  CHECK(surf_top1(y, s).value == 0.75);
}

TEST_CASE("surf_top1: ties go to the lowest index") {
  CHECK(surf_top1(Matrix{{2.0, 2.0, 1.0}}, Matrix{{1.0, 0.0, 0.0}}).value == 1.0);
  CHECK(surf_top1(Matrix{{2.0, 2.0, 1.0}}, Matrix{{0.0, 1.0, 0.0}}).value == 0.0);
  CHECK(surf_top1(Matrix{{1.0, 2.0, 2.0}}, Matrix{{0.0, 0.0, 0.0}}).value == 0.0);
}

TEST_CASE("surf_top1: increasing maps change nothing; one output always agrees") {
  const Matrix y = normal_matrix(40, 6, 1), s = normal_matrix(40, 6, 2);
  CHECK(surf_top1(y, (3.0 * s).array() + 1.0).value == surf_top1(y, s).value);
  CHECK(surf_top1(reversed_rows(y), reversed_rows(s)).value == surf_top1(y, s).value);
  CHECK(surf_top1(Matrix{{1.0}}, Matrix{{-4.0}}).value == 1.0);
}

TEST_CASE("surf_top1: throws") { check_refuses_bad_pairs(surf_top1, "surf_top1"); }

}  // namespace

}  // namespace conoscope::tests
