// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "numerics/nmf.h"
#include "numerics/nnls.h"
#include "plugins/explainers/ice/minibatch_nmf.h"
#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;
namespace methods = conoscope::methods;
namespace numerics = conoscope::numerics;

namespace {

Rows projected(const Arguments& arguments, const Bundle& explanation, std::int64_t output,
               const Rows& rows, std::int64_t k = 5) {
  const Outcome outcome = plugin("ice").project(arguments, explanation, output, array_of(rows), k);
  REQUIRE(outcome.error == "");
  return matrix_of(outcome.out, "scores");
}

}  // namespace

TEST_CASE("ice: parts that add up, by hand") {
  // One part: the rows are multiples of (1, 2).
  const Rows activations{{1.0, 2.0}, {2.0, 4.0}, {0.5, 1.0}};
  const Bundle head = head_bundle(activations, 1, Rows{{2.0, -0.5}}, {0.0}, "regression");
  const Arguments one{{"k", 1}};
  const Outcome outcome = plugin("ice").fit_explainer(one, head);
  REQUIRE(outcome.error == "");
  const Rows v = matrix_of(outcome.out, "cavs");
  CHECK(v(0, 1) == doctest::Approx(2.0 * v(0, 0)));
  CHECK(outcome.out.values<double>("importance")[0] ==
        doctest::Approx(2.0 * v(0, 0) - 0.5 * v(0, 1)));
  // psi clips where least squares would be negative, and rebuilds what is a multiple.
  const Rows scores = projected(one, outcome.out, 0, Rows{{3.0, 6.0}, {-1.0, -2.0}}, 1);
  CHECK(scores(0, 0) == doctest::Approx(3.0 / v(0, 0)));
  CHECK(scores(1, 0) == 0.0);
  const Outcome rebuilt = plugin("ice").reconstruct(one, outcome.out, 0, array_of(scores), 2);
  REQUIRE(rebuilt.error == "");
  CHECK(matrix_of(rebuilt.out, "rows").isApprox(Rows{{3.0, 6.0}, {0.0, 0.0}}, 1e-9));
}

TEST_CASE("ice: with its defaults it is plain NMF, concept by concept") {
  const Bundle head = random_head_bundle(40, 3, 8, 3, 4);
  const Outcome outcome = plugin("ice").fit_explainer({}, head, {.seed = 3});
  REQUIRE(outcome.error == "");
  CHECK((outcome.out == plugin("nmf").fit_explainer({}, head, {.seed = 3}).out));
}

TEST_CASE("ice: float32 activations are factored in float32, to float32's accuracy") {
  const Rows activations = normal_rows(120, 8, 4, true).cast<float>().cast<double>();
  const Rows weight = normal_rows(2, 8, 5);
  const Outcome wide =
      plugin("ice").fit_explainer({}, head_bundle(activations, 3, weight, {0.0, 0.0}));
  const Outcome narrow =
      plugin("ice").fit_explainer({}, head_bundle<float>(activations, 3, weight, {0.0, 0.0}));
  REQUIRE(narrow.error == "");
  CHECK(matrix_of(narrow.out, "cavs").isApprox(matrix_of(wide.out, "cavs"), 1e-4));
}

TEST_CASE("ice: the TCAV fraction is 1 where the derivative is positive, else 0") {
  const Bundle head = random_head_bundle(40, 3, 8, 3, 4);
  const Outcome slope = plugin("ice").fit_explainer({}, head);
  const Outcome tcav = plugin("ice").fit_explainer({{"importance", "tcav"}}, head);
  REQUIRE(tcav.error == "");
  CHECK((slope.out.arrays.at("cavs") == tcav.out.arrays.at("cavs")));
  const auto alpha = slope.out.values<double>("importance");
  const auto fraction = tcav.out.values<double>("importance");
  int ones = 0;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    CHECK(fraction[i] == (alpha[i] > 0.0 ? 1.0 : 0.0));
    ones += fraction[i] == 1.0;
  }
  CHECK(ones > 0);
  CHECK(ones < static_cast<int>(alpha.size()));
}

TEST_CASE("ice: each solver's parts and each psi are those of the numerics") {
  const Rows activations = normal_rows(90, 8, 4, true), rows = normal_rows(20, 8, 5, true);
  const Bundle head = head_bundle(activations, 3, normal_rows(1, 8, 6), {0.0}, "regression");
  const methods::MiniBatchNmfOptions batches{.batch_size = 32};
  const conoscope::numerics::Seed seed = conoscope::numerics::Seed(2).child(0);
  for (const std::string solver : {"cd", "mu", "minibatch"}) {
    CAPTURE(solver);
    Arguments arguments{{"solver", solver}, {"batch_size", 32}};
    const Outcome outcome = plugin("ice").fit_explainer(arguments, head, {.seed = 2});
    REQUIRE(outcome.error == "");
    const bool in_batches = solver == "minibatch";
    const numerics::NmfOptions whole{.solver = solver == "mu"
                                                   ? numerics::NmfSolver::kMultiplicativeUpdate
                                                   : numerics::NmfSolver::kCoordinateDescent};
    const Rows v = in_batches ? methods::minibatch_nmf(activations, 5, seed, batches).h
                              : numerics::nmf(activations, 5, seed, whole).h;
    CHECK(matrix_of(outcome.out, "cavs") == v);
    CHECK(projected(arguments, outcome.out, 0, rows) == numerics::nnls(rows, v));
    arguments["psi"] = "transform";
    CHECK(projected(arguments, outcome.out, 0, rows) ==
          (in_batches ? methods::minibatch_nmf_transform(rows, v, batches)
                      : numerics::nmf_transform(rows, v, whole)));
  }
}

TEST_CASE("ice: no concepts for a class never predicted; same bits at any thread count") {
  const Bundle head =
      head_bundle(normal_rows(60, 6, 1, true), 1, normal_rows(3, 6, 2), {0.0, 0.0, -1e6});
  const Outcome outcome = plugin("ice").fit_explainer({}, head);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.values<std::int64_t>("counts")[2] == 0);
  CHECK((plugin("ice").fit_explainer({}, head, {.threads = 8}).out == outcome.out));
  const Outcome none = plugin("ice").project({}, outcome.out, 2, array_of(Rows::Ones(3, 6)), 0);
  CHECK(none.error == "");
}

TEST_CASE("ice: constant features, zero rows and more concepts than features are handled") {
  for (const double value : {0.0, 2.0})
    for (const char* solver : {"cd", "mu", "minibatch"}) {
      const Arguments arguments{{"solver", solver}};
      const Rows activations = Rows::Constant(12, 4, value);
      const Outcome outcome = plugin("ice").fit_explainer(
          arguments, head_bundle(activations, 2, Rows::Ones(1, 4), {0.0}, "regression"));
      REQUIRE(outcome.error == "");
      const Rows v = matrix_of(outcome.out, "cavs");
      REQUIRE(v.rows() == 5);
      CHECK(v.minCoeff() >= 0.0);
      CHECK((projected(arguments, outcome.out, 0, activations) * v).isApprox(activations, 1e-6));
    }
}

TEST_CASE("ice: what is refused") {
  const Rows weight = normal_rows(1, 4, 2);
  Rows negative = normal_rows(8, 4, 1, true);
  negative(1, 2) = -0.5;
  check_fault(
      plugin("ice").fit_explainer({}, head_bundle(negative, 2, weight, {0.0}, "regression")),
      CONO_NOT_APPLICABLE,
      "ice: needs non-negative activations, as after a ReLU; entry 6 of the 4 x 2 x 4 "
      "activations is -0.500000");

  check_fault(plugin("ice").fit_explainer({}, random_head_bundle(4, 1, 9, 1, 3, "regression")),
              CONO_INVALID_ARGUMENT, "ice: output 0 has 4 rows, fewer than k = 5 concepts");

  check_fault(
      plugin("ice").fit_explainer({}, random_head_bundle(20, 2, 9, 2, 3, "softmax", "flatten")),
      CONO_NOT_APPLICABLE, "ice: a flattened head has one weight vector per position");

  check_fault(plugin("ice").fit_explainer({{"solver", "minibatch"}, {"forget_factor", 0.0}},
                                          random_head_bundle(20, 2, 9, 1, 3, "regression")),
              CONO_INVALID_ARGUMENT, "minibatch_nmf: forget_factor = 0 is outside (0, 1]");

  CHECK(
      plugin("ice")
          .fit_explainer({}, random_head_bundle(60, 1, 9, 2, 3), {.cancelled = [] { return true; }})
          .status == CONO_CANCELLED);
}
