// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

Arguments with_k(std::int64_t k) { return {{"k", k}}; }

Bundle regression_of(const Rows& rows) {
  return head_bundle(rows, 1, Rows::Ones(1, rows.cols()), {0.0}, "regression");
}

}  // namespace

TEST_CASE("ica: the axes of a grid that was sheared and moved, to the last digits") {
  // Coordinates a and b of a square grid are independent; the rows are a (2, 1) + b (-1, 1) + (9, 9).
  Rows rows(400, 2);
  for (Eigen::Index i = 0; i < 400; ++i) {
    const double a = static_cast<double>(i / 20) - 9.5, b = static_cast<double>(i % 20) - 9.5;
    rows.row(i) << 2 * a - b + 9, a + b + 9;
  }
  Arguments exact = with_k(2);
  exact["tol"] = 1e-13;
  const Outcome outcome = plugin("ica").fit_explainer(exact, regression_of(rows));
  REQUIRE(outcome.error == "");
  CHECK(outcome.log.empty());
  const Rows cavs = matrix_of(outcome.out, "cavs");
  // <h, v> sees a alone where v is orthogonal to (-1, 1), and b alone where it is to (2, 1).
  const Rows seen = cavs * (Rows(2, 2) << 2, -1, 1, 1).finished();
  const bool a_first = std::abs(seen(0, 0)) > std::abs(seen(0, 1));
  CHECK(std::abs(seen(0, a_first ? 1 : 0)) < 1e-9);
  CHECK(std::abs(seen(1, a_first ? 0 : 1)) < 1e-9);
  CHECK(cavs.rowwise().norm().isApproxToConstant(1.0, 1e-12));
  const auto importance = outcome.out.values<double>("importance");
  CHECK(importance[0] == doctest::Approx(cavs.row(0).sum()));
  CHECK(importance[1] == doctest::Approx(cavs.row(1).sum()));
}

TEST_CASE("ica: finds three heavy-tailed sources in eight mixed features, which pca does not") {
  const Rows normal = normal_rows(3000, 3, 4);
  const Rows sources = normal.array().cube();
  const Rows mixing = normal_rows(3, 8, 5);
  const Bundle head = regression_of(sources * mixing);
  const auto worst = [&](const Plugin& plugin) {
    const Outcome outcome = plugin.fit_explainer(with_k(3), head);
    REQUIRE(outcome.error == "");
    // Row k: how strongly concept k's score follows each source.
    Rows mixed = matrix_of(outcome.out, "cavs") * mixing.transpose();
    mixed.rowwise().normalize();
    return mixed.cwiseAbs().rowwise().maxCoeff().minCoeff();
  };
  CHECK(worst(plugin("ica")) > 0.99);
  CHECK(worst(plugin("pca")) < 0.95);
}

TEST_CASE("ica: seeded, the same bits at any thread count; none for a class never predicted") {
  const Bundle head =
      head_bundle(normal_rows(60 * 4, 8, 1), 4, normal_rows(3, 8, 2), {0.0, 0.0, -1e6});
  const Outcome once = plugin("ica").fit_explainer({}, head, {.seed = 3, .threads = 1});
  REQUIRE(once.error == "");
  const auto counts = once.out.values<std::int64_t>("counts");
  CHECK(std::vector<std::int64_t>(counts.begin(), counts.end()) ==
        std::vector<std::int64_t>{5, 5, 0});
  CHECK((plugin("ica").fit_explainer({}, head, {.seed = 3, .threads = 8}).out == once.out));
  CHECK(!(plugin("ica").fit_explainer({}, head, {.seed = 4}).out == once.out));
}

TEST_CASE("ica: says where it has not converged") {
  Arguments one = with_k(3);
  one["max_iter"] = 1;
  const Outcome outcome =
      plugin("ica").fit_explainer(one, random_head_bundle(50, 1, 6, 1, 3, "regression"));
  REQUIRE(outcome.error == "");
  REQUIRE(outcome.log.size() == 1);
  CHECK(outcome.log[0] == "ica: output 0 has not converged after 1 iterations");
}

TEST_CASE("ica: what is refused") {
  check_fault(plugin("ica").fit_explainer({}, random_head_bundle(20, 1, 4, 1, 3, "regression")),
              CONO_INVALID_ARGUMENT, "ica: k = 5 is more than the 4 features");
  check_fault(plugin("ica").fit_explainer({}, random_head_bundle(5, 1, 9, 1, 3, "regression")),
              CONO_UNDEFINED,
              "ica: the rows of output 0 vary in 4 directions, fewer than k = 5 concepts");
  CHECK(plugin("ica")
            .fit_explainer({}, random_head_bundle(20, 2, 9, 2, 3, "softmax", "flatten"))
            .status == CONO_NOT_APPLICABLE);
}
