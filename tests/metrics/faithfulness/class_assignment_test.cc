// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/class_assignment.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("class_assignment: members by prediction, ties to the lowest class") {
  const ClassAssignment result =
      class_assignment(Matrix{{0.0, 1.0, 0.0}, {2.0, 2.0, 1.0}, {0.0, 5.0, 1.0}});
  CHECK(result.predictions == IndexVector{1, 0, 1});
  REQUIRE(result.members.size() == 3);
  CHECK(result.members[0] == IndexVector{1});
  CHECK(result.members[1] == IndexVector{0, 2});
  CHECK(result.members[2].empty());
}

TEST_CASE("class_assignment: throws") {
  CHECK_THROWS_SAYING(class_assignment(Matrix(0, 2)), std::invalid_argument, "0 x 2");
  CHECK_THROWS_SAYING(class_assignment(Matrix(2, 0)), std::invalid_argument, "2 x 0");
  CHECK_THROWS_SAYING(class_assignment(Matrix{{1.0, std::nan("")}}), std::invalid_argument,
                      "logits is nan", "column 1");
}

}  // namespace

}  // namespace conoscope::tests
