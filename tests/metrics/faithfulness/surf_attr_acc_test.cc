// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_attr_acc.h"

#include <doctest/doctest.h>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_attr_acc: by hand; a logit of 0 counts as absent") {
  const Matrix y{{1.0, -1.0}, {0.0, 2.0}}, s{{0.1, 3.0}, {-5.0, 0.0}};
  CHECK(surf_attr_acc(y, s).value == 0.5);
  CHECK(surf_attr_acc(y, y).value == 1.0);
  CHECK(surf_attr_acc(Matrix{{0.0}}, Matrix{{1e-300}}).value == 0.0);
}

TEST_CASE("surf_attr_acc: positive scale and the order of samples do not matter") {
  const Matrix y = normal_matrix(30, 5, 1), s = normal_matrix(30, 5, 2);
  CHECK(surf_attr_acc(y, 3.0 * s).value == surf_attr_acc(y, s).value);
  CHECK(surf_attr_acc(reversed_rows(y), reversed_rows(s)).value == surf_attr_acc(y, s).value);
  CHECK(surf_attr_acc(y, -y).value == 0.0);
}

TEST_CASE("surf_attr_acc: throws") { check_refuses_bad_pairs(surf_attr_acc, "surf_attr_acc"); }

}  // namespace

}  // namespace conoscope::tests
