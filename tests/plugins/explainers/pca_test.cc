// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

const Arguments kOne{{"k", 1}};

}  // namespace

TEST_CASE("pca: the direction of variance, by hand") {
  // Far from the origin along x, varying along y only: an uncentred method would answer x.
  const Rows activations{{9.0, 1.0}, {9.0, 2.0}, {9.0, 3.0}, {9.0, 6.0}};
  const Bundle head = head_bundle(activations, 2, Rows{{3.0, 0.5}}, {0.0}, "regression");
  const Outcome outcome = plugin("pca").fit_explainer(kOne, head);
  REQUIRE(outcome.error == "");
  CHECK(matrix_of(outcome.out, "cavs").isApprox(Rows{{0.0, 1.0}}, 1e-12));
  CHECK(outcome.out.values<double>("importance")[0] == doctest::Approx(0.5));
  CHECK(outcome.out.texts.at("scope") == "class_specific");
}

TEST_CASE("pca: pooled rows average a sample's positions") {
  // Positions vary along x, their means along y.
  const Rows activations{{-5.0, 0.0}, {5.0, 0.0}, {-5.0, 1.0}, {5.0, 1.0}};
  const Bundle head = head_bundle(activations, 2, Rows{{1.0, 1.0}}, {0.0}, "regression");
  Arguments pooled = kOne;
  pooled["rows"] = "pooled";
  CHECK(matrix_of(plugin("pca").fit_explainer(kOne, head).out, "cavs")
            .isApprox(Rows{{1.0, 0.0}}, 1e-12));
  CHECK(matrix_of(plugin("pca").fit_explainer(pooled, head).out, "cavs")
            .isApprox(Rows{{0.0, 1.0}}, 1e-12));
}

TEST_CASE(
    "pca: orthonormal concepts from the model's own classes; none for a class never predicted") {
  const Rows activations = normal_rows(60 * 4, 8, 1);
  Rows weight = normal_rows(3, 8, 2);
  const Bundle head = head_bundle(activations, 4, weight, {0.0, 0.0, -1e6});
  const Outcome outcome = plugin("pca").fit_explainer({}, head);
  REQUIRE(outcome.error == "");
  const auto counts = outcome.out.values<std::int64_t>("counts");
  CHECK(std::vector<std::int64_t>(counts.begin(), counts.end()) ==
        std::vector<std::int64_t>{5, 5, 0});
  const Rows cavs = matrix_of(outcome.out, "cavs");
  for (const Eigen::Index c : {0, 1}) {
    const Rows mine = cavs.middleRows(5 * c, 5);
    CHECK((mine * mine.transpose()).isIdentity(1e-10));
    for (Eigen::Index k = 0; k < 5; ++k)
      CHECK(outcome.out.values<double>("importance")[static_cast<std::size_t>(5 * c + k)] ==
            doctest::Approx(weight.row(c).dot(mine.row(k))));
  }
  CHECK((plugin("pca").fit_explainer({}, head, {.seed = 9, .threads = 8}).out == outcome.out));
}

TEST_CASE("pca: what is refused") {
  const Bundle head = random_head_bundle(20, 1, 4, 1, 3, "regression");
  check_fault(plugin("pca").fit_explainer({}, head), CONO_INVALID_ARGUMENT,
              "pca: k = 5 is more than the 4 features");

  check_fault(plugin("pca").fit_explainer({}, random_head_bundle(4, 1, 9, 1, 3, "regression")),
              CONO_INVALID_ARGUMENT, "pca: output 0 has 4 rows, fewer than k = 5 concepts");

  // Constant features, and a direction fewer than asked for: five rows vary in four directions.
  check_fault(
      plugin("pca").fit_explainer(
          kOne, head_bundle(Rows::Constant(6, 4, 2.0), 1, Rows::Ones(1, 4), {0.0}, "regression")),
      CONO_UNDEFINED, "pca: the rows of output 0 vary in 0 directions, fewer than k = 1 concepts");
  check_fault(plugin("pca").fit_explainer({}, random_head_bundle(5, 1, 9, 1, 3, "regression")),
              CONO_UNDEFINED,
              "pca: the rows of output 0 vary in 4 directions, fewer than k = 5 concepts");
  CHECK(plugin("pca").fit_explainer(kOne, random_head_bundle(1, 1, 9, 1, 3, "regression")).status ==
        CONO_UNDEFINED);

  check_fault(
      plugin("pca").fit_explainer({}, random_head_bundle(20, 2, 9, 2, 3, "softmax", "flatten")),
      CONO_NOT_APPLICABLE, "pca: a flattened head has one weight vector per position");

  CHECK(
      plugin("pca")
          .fit_explainer({}, random_head_bundle(60, 1, 9, 2, 3), {.cancelled = [] { return true; }})
          .status == CONO_CANCELLED);
}
