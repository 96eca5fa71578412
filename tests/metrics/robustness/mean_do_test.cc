// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/mean_do.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// Two binary factors, (1, 1) never seen: counts 2, 1, 1; codes 1, 3 | 5 | 9.
Matrix hole_factors() { return (Matrix(4, 2) << 0, 0, 0, 0, 0, 1, 1, 0).finished(); }
Matrix hole_codes() { return (Matrix(4, 1) << 1, 3, 5, 9).finished(); }

TEST_CASE("factor_cells: by hand") {
  const FactorCells cells = factor_cells(hole_codes(), hole_factors());
  CHECK(cells.cells() == 3);
  CHECK(cells.samples == 4);
  CHECK(cells.count == (Vector(3) << 2, 1, 1).finished());
  CHECK(cells.origin[0] == 1.0);
  CHECK(cells.centred_mean == (Matrix(3, 1) << 1, 4, 8).finished());
  CHECK_FALSE(cells.constant[0]);
  CHECK(factor_cells(Matrix::Constant(4, 1, 0.1), hole_factors()).centred_mean.isZero(0.0));
}

TEST_CASE("factor_levels: any values, in ascending order") {
  const FactorLevels levels =
      factor_levels("t", (Matrix(3, 2) << -7, 0.5, 1e18, 0.25, -7, 0.5).finished());
  CHECK(levels.values[0] == std::vector<double>{-7, 1e18});
  CHECK(levels.values[1] == std::vector<double>{0.25, 0.5});
  CHECK(levels.levels[1] == std::vector<std::int32_t>{1, 0, 1});
}

TEST_CASE("group_by: many binary factors do not overflow") {
  Matrix factors = Matrix::Zero(5, 200);
  for (Index i = 0; i < 5; ++i) factors(i, 40 * i) = 1.0;
  CHECK(factor_cells(Matrix::Ones(5, 1), factors).cells() == 5);
}

TEST_CASE("mean_do: by hand, with a combination that was never seen") {
  const FactorCells cells = factor_cells(hole_codes(), hole_factors());
  // p(g1 = 0) = 3/4, p(g1 = 1) = 1/4; cell means 2, 5, 9
  const InterventionalMeans own = mean_do(cells, {0});
  CHECK(own.values == (Matrix(2, 1) << 0, 1).finished());
  CHECK(own.mean(0, 0) == doctest::Approx(0.75 * 2 + 0.25 * 5));
  CHECK(own.mean(1, 0) == doctest::Approx(9.0));
  CHECK(own.coverage == (Vector(2) << 1.0, 0.75).finished());
  CHECK(own.samples == (Vector(2) << 3, 1).finished());
  const InterventionalMeans literal = mean_do(cells, {0}, InterventionWeights::kLiteral);
  CHECK(literal.mean(0, 0) == doctest::Approx(2.75));
  CHECK(literal.mean(1, 0) == doctest::Approx(0.75 * 9.0));
  CHECK(mean_do(cells, {}).mean(0, 0) == doctest::Approx(4.5));
  CHECK(mean_do(cells, {}).coverage[0] == doctest::Approx(1.0));
  CHECK(mean_do(cells, {0, 1}).mean.isApprox((Matrix(3, 1) << 2, 5, 9).finished()));
}

TEST_CASE("mean_do: the order of S is the order of the values") {
  const FactorCells cells = factor_cells(hole_codes(), hole_factors());
  CHECK(mean_do(cells, {1, 0}).values == (Matrix(3, 2) << 0, 0, 0, 1, 1, 0).finished());
}

TEST_CASE("cells and means: bad input") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(factor_cells(hole_codes(), Matrix::Zero(3, 2)), std::invalid_argument,
                      "codes is 4 x 1", "factors 3 x 2");
  CHECK_THROWS_SAYING(factor_cells(Matrix(0, 1), Matrix(0, 1)), std::invalid_argument, "0 x 1");
  CHECK_THROWS_SAYING(factor_cells(Matrix::Constant(4, 1, kNaN), hole_factors()),
                      std::invalid_argument, "codes is nan");
  CHECK_THROWS_SAYING(factor_cells(hole_codes(), Matrix::Constant(4, 1, kNaN)),
                      std::invalid_argument, "factors is nan");
  CHECK_THROWS_SAYING(factor_levels("t", Matrix(3, 0)), std::invalid_argument,
                      "t: factors is 3 x 0");
  const FactorCells cells = factor_cells(hole_codes(), hole_factors());
  CHECK_THROWS_SAYING(mean_do(cells, {2}), std::invalid_argument, "intervened", "2");
  CHECK_THROWS_SAYING(mean_do(cells, {0, 0}), std::invalid_argument, "0 twice");
  CHECK_THROWS_SAYING(mean_do(cells, {-1}), std::invalid_argument, "-1");
}

}  // namespace

}  // namespace conoscope::tests
