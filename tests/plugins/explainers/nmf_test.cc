// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/support/head_bundle.h"

using namespace conoscope::testing;

TEST_CASE("nmf: finds non-negative parts of which the rows are sums, by either solver") {
  Rows parts = Rows::Zero(3, 9);
  for (Eigen::Index k = 0; k < 3; ++k) parts.block(k, 3 * k, 1, 3) << 1.0, 2.0, 3.0;
  const Rows activations = normal_rows(90, 3, 1, true) * parts;
  const Bundle head = head_bundle(activations, 3, normal_rows(1, 9, 2), {0.0}, "regression");
  for (const std::string solver : {"cd", "mu"}) {
    CAPTURE(solver);
    const Arguments arguments{{"k", 3}, {"solver", solver}, {"tol", 1e-9}, {"max_iter", 2000}};
    const Outcome outcome = plugin("nmf").fit_explainer(arguments, head);
    REQUIRE(outcome.error == "");
    const Rows cavs = matrix_of(outcome.out, "cavs");
    CHECK(cavs.minCoeff() >= 0.0);
    const Outcome scores =
        plugin("nmf").project(arguments, outcome.out, 0, array_of(activations), 3);
    REQUIRE(scores.error == "");
    const Outcome rebuilt =
        plugin("nmf").reconstruct(arguments, outcome.out, 0, scores.out.arrays.at("scores"), 9);
    REQUIRE(rebuilt.error == "");
    CHECK(matrix_of(rebuilt.out, "rows").isApprox(activations, 1e-3));
  }
}

TEST_CASE("nmf: what is refused") {
  const Bundle head =
      head_bundle(Rows{{1.0, 2.0}, {3.0, -4.0}}, 1, Rows{{1.0, 1.0}}, {0.0}, "regression");
  const Outcome outcome = plugin("nmf").fit_explainer({{"k", 1}}, head);
  CHECK(outcome.error.find("nmf: needs non-negative activations") != std::string::npos);
  CHECK(outcome.error.find("entry 3") != std::string::npos);
  const Rows activations = normal_rows(8, 4, 1, true);
  CHECK(plugin("nmf")
            .fit_explainer({{"k", 9}},
                           head_bundle(activations, 1, normal_rows(1, 4, 2), {0.0}, "regression"))
            .error == "nmf: output 0 has 8 rows, fewer than k = 9 concepts");
}
