// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/SVD>

#include "tests/support/head_bundle.h"

using namespace conoscope::testing;

namespace {

Arguments with_k(std::int64_t k) { return {{"k", k}}; }

}  // namespace

TEST_CASE("svd: the direction of the largest sum of squares, by hand") {
  // Far from the origin along x, varying along y only: a centred method (pca) would answer y.
  const Rows activations{{9.0, 1.0}, {9.0, -1.0}, {9.0, 2.0}, {9.0, -2.0}};
  const Bundle head = head_bundle(activations, 2, Rows{{3.0, 0.5}}, {0.0}, "regression");
  const Outcome outcome = plugin("svd").fit_explainer(with_k(1), head);
  REQUIRE(outcome.error == "");
  CHECK(matrix_of(outcome.out, "cavs").isApprox(Rows{{1.0, 0.0}}, 1e-12));
  CHECK(outcome.out.values<double>("importance")[0] == doctest::Approx(3.0));
  CHECK(outcome.out.texts.at("scope") == "class_specific");
}

TEST_CASE("svd: five concepts leave what the next singular values hold, whatever the rows") {
  const Rows activations = normal_rows(200, 8, 1);
  const Bundle head = head_bundle(activations, 4, normal_rows(1, 8, 2), {0.0}, "regression");
  Arguments positions;
  positions["rows"] = std::string("positions");
  const Outcome outcome = plugin("svd").fit_explainer(positions, head);
  REQUIRE(outcome.error == "");
  const Rows v = matrix_of(outcome.out, "cavs");
  CHECK((v * v.transpose()).isIdentity(1e-10));
  const Eigen::VectorXd s = Eigen::BDCSVD<Rows>(activations).singularValues();
  CHECK((activations - activations * v.transpose() * v).norm() ==
        doctest::Approx(s.tail(3).norm()).epsilon(1e-9));
}

TEST_CASE("svd: what is refused") {
  const Rows activations = normal_rows(8, 4, 1);
  const Bundle head = head_bundle(activations, 1, normal_rows(1, 4, 2), {0.0}, "regression");
  CHECK(plugin("svd").fit_explainer(with_k(9), head).error ==
        "svd: output 0 has 8 rows, fewer than k = 9 concepts");
  CHECK(plugin("svd").fit_explainer(with_k(5), head).error ==
        "svd: k = 5 is more than the 4 features");
}
