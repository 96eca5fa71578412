// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/variance_shares.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/support/throws.h"

using namespace conoscope::results;
using conoscope::numerics::Matrix;

TEST_CASE("one-way components by hand") {
  // sd 0.1 each: MS_within 0.01. Means 0.8, 0.5, 0.45 about 0.58333: MS_between 0.1075.
  const std::vector<Scores> things = {{3, 0.8, 0.1}, {3, 0.5, 0.1}, {3, 0.45, 0.1}};
  const OneWayComponents found = one_way_components(things);
  CHECK(found.ms_within == doctest::Approx(0.01));
  CHECK(found.ms_between == doctest::Approx(0.1075));
  CHECK(found.var_within == doctest::Approx(0.01));
  CHECK(found.var_between == doctest::Approx(0.0325));
  CHECK(found.share_between == doctest::Approx(0.0325 / 0.0425));
  // Means closer than their noise: cut at 0.
  const std::vector<Scores> flat = {{3, 0.5, 0.1}, {3, 0.51, 0.1}};
  CHECK(one_way_components(flat).share_between == 0.0);
  // Unequal: n_0 = (5 - 13/5) / 1 = 2.4; means 0 and 1, grand mean 0.4: MS_between 2 * 0.36 + 3 * 0.16.
  const std::vector<Scores> unequal = {{3, 0.0, 0.1}, {2, 1.0, 0.1}};
  CHECK(one_way_components(unequal).var_between == doctest::Approx((1.2 - 0.01) / 2.4));
}

TEST_CASE("shares of variants, seeds and snapshots by hand") {
  Matrix a(2, 2), b(2, 2);
  a << 0, 2, 4, 6;  // seeds 1, 5; snapshots vary by 1 each
  b << 10, 12, 14, 16;
  // Variants 3 and 13: 25. Seeds: 4. Snapshots: 1.
  const VarianceShares found = variance_shares({a, b});
  CHECK(found.variant == doctest::Approx(25.0 / 30));
  CHECK(found.seed == doctest::Approx(4.0 / 30));
  CHECK(found.snapshot == doctest::Approx(1.0 / 30));
}

TEST_CASE("shares of the variance: what is refused") {
  CHECK_THROWS_SAYING(one_way_components(std::vector<Scores>{{2, 1, 1}}), std::invalid_argument,
                      "things");
  CHECK_THROWS_SAYING(one_way_components(std::vector<Scores>{{2, 1, 1}, {0, 1, 1}}),
                      std::invalid_argument, "n = 0");
  CHECK_THROWS_SAYING(one_way_components(std::vector<Scores>{{1, 1, 0}, {1, 2, 0}}),
                      std::invalid_argument, "nothing has two scores");
  CHECK_THROWS_SAYING(one_way_components(std::vector<Scores>{{2, 1, 0}, {2, 1, 0}}),
                      std::domain_error, "all scores are equal");
  CHECK_THROWS_SAYING(variance_shares({}), std::invalid_argument, "no variant");
  CHECK_THROWS_SAYING(variance_shares({Matrix::Zero(2, 2), Matrix::Zero(2, 3)}),
                      std::invalid_argument, "2 x 3");
  CHECK_THROWS_SAYING(variance_shares({Matrix::Ones(2, 2)}), std::domain_error,
                      "all scores are equal");
  CHECK_THROWS_SAYING(variance_shares({Matrix::Constant(2, 2, std::nan(""))}),
                      std::invalid_argument, "nan");
}
