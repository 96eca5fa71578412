// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/rubin_pooling.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "numerics/statistics/correlation.h"
#include "tests/numerics/statistics/values.h"
#include "tests/support/throws.h"

using namespace conoscope::numerics;
using namespace conoscope::testing;

TEST_CASE("rubin_pooling by hand") {
  const RubinPooling pooled = rubin_pooling(Eigen::Vector2d(1, 3), 1.0, 10.0);
  CHECK(pooled.mean == 2.0);
  CHECK(pooled.between == 2.0);
  CHECK(pooled.total == 4.0);
  CHECK(pooled.t == 1.0);
  CHECK(pooled.dof_large == doctest::Approx(16.0 / 9));
  const double observed = 11.0 / 13 * 10 / 4;
  CHECK(pooled.dof == doctest::Approx(1 / (9.0 / 16 + 1 / observed)));
  CHECK(pooled.p > pooled.p_large);
  CHECK(rubin_pooling(Eigen::Vector2d(1, 3), 1.0, kInfinity).dof ==
        doctest::Approx(pooled.dof_large));
  // Draws that agree leave the complete data's uncertainty.
  const RubinPooling agreed = rubin_pooling(Eigen::Vector2d(2, 2), 1.0, 10.0);
  CHECK(agreed.dof_large == kInfinity);
  CHECK(agreed.dof == doctest::Approx(110.0 / 13));
}

TEST_CASE("errors of 0 give the correlation of the means") {
  Vector x(6), y(6), none = Vector::Zero(6);
  x << 0.1, 0.2, 0.35, 0.3, 0.6, 0.5;
  y << 0.2, 0.1, 0.3, 0.4, 0.5, 0.7;
  MonteCarloOptions options;
  options.draws = 50;
  const PooledCorrelation pooled = monte_carlo_correlation(x, none, y, none, options);
  CHECK(pooled.r_mean == doctest::Approx(pearson(x, y).r));
  CHECK(pooled.z.between == 0.0);
  CHECK(pooled.z.p_large == doctest::Approx(std::erfc(pooled.z.t / std::sqrt(2.0))));
  // Errors blur.
  const Vector some = Vector::Constant(6, 0.2);
  options.draws = 2000;
  const PooledCorrelation blurred = monte_carlo_correlation(x, some, y, some, options);
  CHECK(blurred.r_mean < pooled.r_mean - 0.1);
  CHECK(monte_carlo_correlation(x, some, y, some, options).r_mean == blurred.r_mean);
  // Without the clipping a negative mean counts.
  options.clip_at_zero = false;
  options.draws = 3;
  const Vector below = x.array() - 0.32;
  CHECK(monte_carlo_correlation(below, none, y, none, options).r_mean ==
        doctest::Approx(pearson(x, y).r));
}

TEST_CASE("rubin_pooling: what is refused") {
  CHECK_THROWS_SAYING(rubin_pooling(Vector::Ones(1), 1, 1), std::invalid_argument,
                      "estimates has 1 value;");
  CHECK_THROWS_SAYING(rubin_pooling(Eigen::Vector2d(1, kNan), 1, 1), std::invalid_argument,
                      "estimates is nan");
  CHECK_THROWS_SAYING(rubin_pooling(Eigen::Vector2d(1, 2), 0, 1), std::invalid_argument,
                      "within is 0.0");
  CHECK_THROWS_SAYING(rubin_pooling(Eigen::Vector2d(1, 2), 1, 0), std::invalid_argument,
                      "complete_dof is 0.0");
  Matrix x = Matrix::Random(3, 4), y = Matrix::Random(3, 4);
  CHECK_THROWS_SAYING(pooled_correlation(x, y.leftCols(3)), std::invalid_argument, "x is 3 x 4",
                      "y 3 x 3");
  CHECK_THROWS_SAYING(pooled_correlation(x.topRows(1), y.topRows(1)), std::invalid_argument,
                      "M >= 2");
  CHECK_THROWS_SAYING(pooled_correlation(x.leftCols(3), y.leftCols(3)), std::invalid_argument,
                      "n >= 4");
  Matrix broken = x;
  broken(1, 2) = kNan;
  CHECK_THROWS_SAYING(pooled_correlation(x, broken), std::invalid_argument, "y is nan at row 1");
  Matrix flat = x;
  flat.row(1).setConstant(0.5);
  CHECK_THROWS_SAYING(pooled_correlation(flat, y), std::domain_error, "all values of x are equal");
  CHECK_THROWS_SAYING(pooled_correlation(x, x), std::domain_error, "|r| is 1 in draw 0");

  const Vector mean = Vector::LinSpaced(4, 0, 1), error = Vector::Zero(4);
  Vector bad = error;
  bad(2) = -1;
  CHECK_THROWS_SAYING(monte_carlo_correlation(mean, error.head(3), mean, error),
                      std::invalid_argument, "x_se 3");
  CHECK_THROWS_SAYING(monte_carlo_correlation(mean, bad, mean, error), std::invalid_argument,
                      "x_se is -1", "entry 2");
  CHECK_THROWS_SAYING(monte_carlo_correlation(mean, error, mean, bad), std::invalid_argument,
                      "y_se is -1");
  bad(2) = kNan;
  CHECK_THROWS_SAYING(monte_carlo_correlation(mean, error, bad, error), std::invalid_argument,
                      "y_mean is nan");
  CHECK_THROWS_SAYING(
      monte_carlo_correlation(mean.head(3), error.head(3), mean.head(3), error.head(3)),
      std::invalid_argument, "x_mean has 3 values");
  CHECK_THROWS_SAYING(monte_carlo_correlation(mean, error, mean, error, {1, true, 0}),
                      std::invalid_argument, "draws is 1");
}
