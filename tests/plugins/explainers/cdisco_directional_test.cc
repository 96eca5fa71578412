// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

Arguments with_k(std::int64_t k) { return {{"k", k}}; }

}  // namespace

TEST_CASE(
    "cdisco_directional: the strongest by |alpha|, not by singular value, and with its sign") {
  // Singular vectors: x (value sqrt(50)) and y (value 2); the head looks along -y most.
  const Rows activations{{5.0, 0.0}, {5.0, 0.0}, {0.0, 2.0}};
  const Bundle head = head_bundle(activations, 1, Rows{{1.0, -3.0}}, {0.0}, "regression");
  Outcome outcome = plugin("cdisco_directional").fit_explainer(with_k(1), head);
  REQUIRE(outcome.error == "");
  CHECK(matrix_of(outcome.out, "cavs").isApprox(Rows{{0.0, 1.0}}, 1e-12));
  CHECK(outcome.out.values<double>("importance")[0] == doctest::Approx(-3.0));
  outcome = plugin("cdisco_directional").fit_explainer(with_k(2), head);
  CHECK(matrix_of(outcome.out, "cavs").isApprox(Rows{{0.0, 1.0}, {1.0, 0.0}}, 1e-12));
  CHECK(outcome.out.values<double>("importance")[1] == doctest::Approx(1.0));
}

TEST_CASE("cdisco_directional: all candidates rebuild the head that the class sees") {
  // sum_k <w, v_k> v_k over a whole basis is w.
  const Bundle head = random_head_bundle(40, 3, 6, 2, 5);
  const Outcome outcome = plugin("cdisco_directional").fit_explainer(with_k(6), head);
  REQUIRE(outcome.error == "");
  const Rows cavs = matrix_of(outcome.out, "cavs"), weight = matrix_of(head, "head_weight");
  const auto alpha = outcome.out.values<double>("importance");
  for (const Eigen::Index c : {0, 1}) {
    Eigen::RowVectorXd rebuilt = Eigen::RowVectorXd::Zero(6);
    for (Eigen::Index k = 6 * c; k < 6 * c + 6; ++k) {
      rebuilt += alpha[static_cast<std::size_t>(k)] * cavs.row(k);
      if (k % 6)
        CHECK(std::abs(alpha[static_cast<std::size_t>(k)]) <=
              std::abs(alpha[static_cast<std::size_t>(k - 1)]));
    }
    CHECK(rebuilt.isApprox(weight.row(c), 1e-10));
  }
}

TEST_CASE("cdisco_directional: constant features and zero rows give finite concepts") {
  for (const double value : {0.0, 2.0}) {
    const Outcome outcome =
        plugin("cdisco_directional")
            .fit_explainer(with_k(2), head_bundle(Rows::Constant(6, 4, value), 1,
                                                  Rows{{1.0, 2.0, 3.0, 4.0}}, {0.0}, "regression"));
    REQUIRE(outcome.error == "");
    const Rows cavs = matrix_of(outcome.out, "cavs");
    CHECK((cavs * cavs.transpose()).isIdentity(1e-10));
  }
}

TEST_CASE("cdisco_directional: what is refused") {
  check_fault(plugin("cdisco_directional")
                  .fit_explainer({}, random_head_bundle(20, 2, 4, 1, 3, "regression")),
              CONO_INVALID_ARGUMENT, "cdisco_directional: k = 5 is more than the 4 features");

  check_fault(plugin("cdisco_directional")
                  .fit_explainer({}, random_head_bundle(20, 2, 9, 2, 3, "softmax", "flatten")),
              CONO_NOT_APPLICABLE,
              "cdisco_directional: a flattened head has one weight vector per position");
}
