// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/support/head_bundle.h"

using namespace conoscope::testing;

namespace {

Arguments with_k(std::int64_t k) { return {{"k", k}}; }

}  // namespace

TEST_CASE("kmeans: the directions of the centres, by hand") {
  // Two pairs: their centres are (3, 4) and (0, -2).
  const Rows activations{{3.0, 3.0}, {0.0, -1.0}, {3.0, 5.0}, {0.0, -3.0}};
  const Bundle head = head_bundle(activations, 2, Rows{{1.0, 0.5}}, {0.0}, "regression");
  const Outcome outcome = plugin("kmeans").fit_explainer(with_k(2), head);
  REQUIRE(outcome.error == "");
  const Rows cavs = matrix_of(outcome.out, "cavs");
  const Eigen::Index first = cavs(0, 0) > 0.1 ? 0 : 1;
  CHECK(cavs.row(first).isApprox(Eigen::RowVector2d(0.6, 0.8), 1e-12));
  CHECK(cavs.row(1 - first).isApprox(Eigen::RowVector2d(0.0, -1.0), 1e-12));
  const auto importance = outcome.out.values<double>("importance");
  CHECK(importance[static_cast<std::size_t>(first)] == doctest::Approx(1.0));
  CHECK(importance[static_cast<std::size_t>(1 - first)] == doctest::Approx(-0.5));
  CHECK(outcome.out.texts.at("scope") == "class_specific");
}

TEST_CASE("kmeans: rows at the origin have no direction, and a concept of zeros") {
  const Bundle head = head_bundle(Rows::Zero(4, 3), 1, Rows::Ones(1, 3), {0.0}, "regression");
  const Outcome outcome = plugin("kmeans").fit_explainer(with_k(2), head);
  REQUIRE(outcome.error == "");
  CHECK(matrix_of(outcome.out, "cavs").isZero(0.0));
}

TEST_CASE("kmeans: float32 activations, clustered as they are, have the clusters of double") {
  // Around twelve points, of which five are asked for: the best of ten starts matters.
  const Rows points = normal_rows(12, 8, 3), noise = normal_rows(360, 8, 4);
  Rows activations = points.replicate(30, 1) + 0.3 * noise;
  activations = activations.cast<float>().cast<double>();
  const Rows weight = normal_rows(2, 8, 5);
  const Outcome wide =
      plugin("kmeans").fit_explainer({}, head_bundle(activations, 3, weight, {0.0, 0.0}));
  const Outcome narrow =
      plugin("kmeans").fit_explainer({}, head_bundle<float>(activations, 3, weight, {0.0, 0.0}));
  REQUIRE(narrow.error == "");
  CHECK((narrow.out == wide.out));
}

TEST_CASE("kmeans: what is refused") {
  const Rows activations = normal_rows(8, 4, 1);
  const Bundle head = head_bundle(activations, 2, normal_rows(1, 4, 2), {0.0}, "regression");
  CHECK(plugin("kmeans").fit_explainer(with_k(9), head).error ==
        "kmeans: output 0 has 8 rows, fewer than k = 9 concepts");
  CHECK(plugin("kmeans")
            .fit_explainer({}, random_head_bundle(20, 2, 9, 2, 3, "softmax", "flatten"))
            .error == "kmeans: a flattened head has one weight vector per position");
}
