// SPDX-License-Identifier: Apache-2.0
#include "metrics/stability/kept_concepts.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "metrics/catalogue.h"
#include "tests/metrics/stability/found.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("kept_concepts: 1 for the same concepts, in any order and of either sign") {
  const auto fitted = [](const Matrix& cavs) {
    return found(cavs, Vector::Ones(cavs.rows()), {cavs.rows()});
  };
  const CellExplanation clean = fitted(Matrix{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}});
  CHECK(kept_concepts({fitted(Matrix{{0.0, -2.0, 0.0}, {1.0, 0.0, 0.0}}), {clean}, 0}).value ==
        1.0);
  // One concept is as it was, the other has turned by the angle of (3, 4) to (1, 0).
  const Result turned =
      kept_concepts({fitted(Matrix{{0.0, 1.0, 0.0}, {3.0, 0.0, 4.0}}), {clean}, 0});
  CHECK(turned.value == doctest::Approx(0.8));
  CHECK(turned.parts.empty());
  CHECK(kept_concepts({fitted(Matrix{{1.0, 0.0, 0.0}}), {clean}, 0}).value == 0.5);
  CHECK_THROWS_SAYING(kept_concepts({clean, {fitted(Matrix::Zero(1, 3))}, 0}), std::domain_error,
                      "no concept");
  CHECK_THROWS_SAYING(kept_concepts({clean, {}, 0}), std::invalid_argument, "no peer");
  REQUIRE(peer_metric("kept_concepts") != nullptr);
  CHECK_FALSE(is_over_seeds("kept_concepts"));
  CHECK(is_over_seeds("stability"));
  CHECK_FALSE(is_over_seeds("surf_mae"));
  CHECK(score(*catalogue().metric("kept_concepts"), Subject(Views{})).reason == "not_applicable");
}

}  // namespace

}  // namespace conoscope::tests
