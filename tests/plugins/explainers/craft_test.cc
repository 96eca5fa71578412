// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "numerics/nmf.h"
#include "numerics/nnls.h"
#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;
namespace numerics = conoscope::numerics;

TEST_CASE("craft: with one concept all variance is its own") {
  // y = m z + b: S = sum (A - B)^2 / (2 n var(A)), whatever z is. Two points in bases 2 and 3:
  // A = (0, 1/2), B = (0, 1/3), so S = (1/6)^2 / (2 * 2 * 1/8) = 1/18.
  const Rows activations{{1.0, 2.0}, {2.0, 4.0}, {0.5, 1.0}};
  const Bundle head = head_bundle(activations, 1, Rows{{2.0, -0.25}}, {0.7}, "regression");
  const Outcome outcome = plugin("craft").fit_explainer({{"k", 1}, {"nb_design", 2}}, head);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.values<double>("importance")[0] == doctest::Approx(1.0 / 18.0));
}

TEST_CASE("craft: the closed form is what masking every concept gives") {
  for (const char* pooling : {"mean", "flatten"}) {
    const Bundle head = random_head_bundle(24, 3, 8, 2, 4, "softmax", pooling);
    const Outcome closed = plugin("craft").fit_explainer({}, head);
    const Outcome sampled = plugin("craft").fit_explainer({{"estimator", "sampled"}}, head);
    REQUIRE(closed.error == "");
    REQUIRE(sampled.error == "");
    CHECK((closed.out.arrays.at("cavs") == sampled.out.arrays.at("cavs")));
    const auto a = closed.out.values<double>("importance");
    const auto b = sampled.out.values<double>("importance");
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-10));
      CHECK(a[i] >= 0.0);
    }
  }
}

TEST_CASE("craft: an importance does not follow the logit's scale, nor its bias") {
  const Rows activations = normal_rows(60, 8, 4, true), weight = normal_rows(1, 8, 5);
  const Outcome one =
      plugin("craft").fit_explainer({}, head_bundle(activations, 3, weight, {0.0}, "regression"));
  const Outcome other = plugin("craft").fit_explainer(
      {}, head_bundle(activations, 3, Rows(-7.0 * weight), {3.0}, "regression"));
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(one.out.values<double>("importance")[i] ==
          doctest::Approx(other.out.values<double>("importance")[i]).epsilon(1e-10));
}

TEST_CASE("craft: a head that looks at nothing gives every concept 0") {
  const Outcome outcome = plugin("craft").fit_explainer(
      {}, head_bundle(normal_rows(60, 8, 4, true), 3, Rows::Zero(1, 8), {2.0}, "regression"));
  REQUIRE(outcome.error == "");
  for (const double alpha : outcome.out.values<double>("importance")) CHECK(alpha == 0.0);
}

TEST_CASE("craft: parts and psi carry the penalty, D alpha in psi") {
  const Rows activations = normal_rows(90, 8, 4, true), rows = normal_rows(20, 8, 5, true);
  const Bundle head = head_bundle(activations, 3, normal_rows(1, 8, 6), {0.0}, "regression");
  for (const double alpha : {0.01, 0.5, 0.0}) {
    Arguments arguments{{"alpha", alpha}};
    const numerics::NmfOptions options{.alpha_w = alpha};
    const Outcome outcome = plugin("craft").fit_explainer(arguments, head);
    REQUIRE(outcome.error == "");
    const Rows v = matrix_of(outcome.out, "cavs");
    CHECK(v == numerics::nmf(activations, 5, conoscope::numerics::Seed(0).child(0), options).h);
    const Outcome fast = plugin("craft").project(arguments, outcome.out, 0, array_of(rows), 5);
    arguments["psi"] = "exact";
    const Outcome exact = plugin("craft").project(arguments, outcome.out, 0, array_of(rows), 5);
    CHECK(matrix_of(fast.out, "scores") == numerics::nmf_transform(rows, v, options));
    CHECK(matrix_of(exact.out, "scores") == numerics::nnls(rows, v, 8.0 * alpha));
    const Outcome rebuilt =
        plugin("craft").reconstruct(arguments, outcome.out, 0, exact.out.arrays.at("scores"), 8);
    REQUIRE(rebuilt.error == "");
    CHECK(matrix_of(rebuilt.out, "rows").isApprox(matrix_of(exact.out, "scores") * v, 1e-12));
  }
}

TEST_CASE("craft: no concepts for a class never predicted; same bits at any thread count") {
  const Bundle head =
      head_bundle(normal_rows(60, 6, 1, true), 1, normal_rows(3, 6, 2), {0.0, 0.0, -1e6});
  const Outcome outcome = plugin("craft").fit_explainer({}, head);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.values<std::int64_t>("counts")[2] == 0);
  CHECK((plugin("craft").fit_explainer({}, head, {.threads = 8}).out == outcome.out));
  CHECK(plugin("craft").project({}, outcome.out, 2, array_of(Rows::Ones(3, 6)), 0).error == "");
}

TEST_CASE("craft: constant features, zero rows and more concepts than features are handled") {
  for (const double value : {0.0, 2.0}) {
    const Outcome outcome = plugin("craft").fit_explainer(
        {}, head_bundle(Rows::Constant(12, 4, value), 2, Rows::Ones(1, 4), {0.0}, "regression"));
    REQUIRE(outcome.error == "");
    CHECK(matrix_of(outcome.out, "cavs").rows() == 5);
    CHECK(matrix_of(outcome.out, "cavs").minCoeff() >= 0.0);
    for (const double alpha : outcome.out.values<double>("importance")) CHECK(alpha >= 0.0);
  }
}

TEST_CASE("craft: what is refused") {
  Rows negative = normal_rows(8, 4, 1, true);
  negative(1, 2) = -0.5;
  check_fault(plugin("craft").fit_explainer(
                  {}, head_bundle(negative, 2, normal_rows(1, 4, 2), {0.0}, "regression")),
              CONO_NOT_APPLICABLE,
              "craft: needs non-negative activations, as after a ReLU; entry 6 of the 4 x 2 x 4 "
              "activations is -0.500000");

  check_fault(plugin("craft").fit_explainer({}, random_head_bundle(4, 1, 9, 1, 3, "regression")),
              CONO_INVALID_ARGUMENT, "craft: output 0 has 4 rows, fewer than k = 5 concepts");

  CHECK(
      plugin("craft")
          .fit_explainer({}, random_head_bundle(60, 1, 9, 2, 3), {.cancelled = [] { return true; }})
          .status == CONO_CANCELLED);
}
