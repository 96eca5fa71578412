// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/reliable_difference.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/support/throws.h"

using namespace conoscope::results;

namespace {

const std::vector<double> kThree = {0.7, 0.8, 0.9};  // sd 0.1

// t(0.975) of the printed tables, four digits.
constexpr double kTable = 5e-4;

}  // namespace

TEST_CASE("noise: pooled over things, each about its own mean") {
  const Scores three = scores_of(kThree);
  CHECK(three.n == 3);
  CHECK(three.mean == doctest::Approx(0.8));
  CHECK(three.sd == doctest::Approx(0.1));
  // 2 * 0.01 + 1 * 0.02 over 3; the third is alone and says nothing.
  const std::vector<Scores> things = {three, scores_of(std::vector{0.1, 0.3}),
                                      scores_of(std::vector{0.5})};
  const Noise noise = pooled_noise(things);
  CHECK(noise.dof == 3);
  CHECK(noise.sd == doctest::Approx(std::sqrt(0.04 / 3)));
  CHECK(noise.largest_over == doctest::Approx(std::sqrt(0.02) / std::sqrt(0.04 / 3)));
  // chi-squared of two degrees: -2 log(0.95)
  const Noise two = pooled_noise(std::vector{three});
  CHECK(noise_upper_bound(two) == doctest::Approx(0.1 * std::sqrt(2 / (-2 * std::log(0.95)))));
  CHECK(coefficient_of_variation(three) == doctest::Approx(0.125));
  CHECK(coefficient_of_variation({3, -0.8, 0.1}) == doctest::Approx(0.125));
  CHECK(pooled_noise({}).dof == 0);
  CHECK(pooled_noise(std::vector<Scores>{{3, 1.0, 0.0}}).largest_over == 1.0);
}

TEST_CASE("reliable differences: the degrees of freedom are those of the noise") {
  const Noise five{.sd = 1, .dof = 4};
  CHECK(reliable_difference(five, 1) == doctest::Approx(2.7764 * std::sqrt(2)).epsilon(kTable));
  CHECK(reliable_difference(five, 5) == doctest::Approx(2.7764 * std::sqrt(0.4)).epsilon(kTable));
  // t(0.8, 4) = 0.9410
  CHECK(detectable_difference(five, 5) ==
        doctest::Approx((2.7764 + 0.9410) * std::sqrt(0.4)).epsilon(kTable));
  // As published: 2 S - 2 of them; t(0.975, 8) = 2.3060.
  CHECK(published_reliable_difference(1, 5) ==
        doctest::Approx(2.3060 * std::sqrt(0.4)).epsilon(kTable));
  // Pairs: sd 0.1 over three, t(0.975, 2) = 4.3027.
  CHECK(paired_reliable_difference(kThree) ==
        doctest::Approx(4.3027 * 0.1 / std::sqrt(3)).epsilon(kTable));
}

TEST_CASE("reliable differences: which pairs and neighbours are told apart") {
  const std::vector<double> means = {0.5, 0.8, 0.45};
  CHECK(told_apart(means, 0.2) == doctest::Approx(2.0 / 3));
  CHECK(neighbours_apart(means, 0.2) == 1);
  CHECK(told_apart(means, 0.0) == 1.0);
  CHECK(told_apart(means, 1.0) == 0.0);
}

TEST_CASE("reliable differences: what is refused") {
  const Noise none;
  CHECK_THROWS_SAYING(scores_of({}), std::invalid_argument, "no values");
  CHECK_THROWS_SAYING(reliable_difference(none, 3), std::invalid_argument, "0 degrees of freedom");
  CHECK_THROWS_SAYING(noise_upper_bound(none), std::invalid_argument, "0 degrees of freedom");
  CHECK_THROWS_SAYING(reliable_difference({1, 4}, 0), std::invalid_argument, "seeds");
  CHECK_THROWS_SAYING(reliable_difference({1, 4}, 1, 1.0), std::invalid_argument, "level is 1");
  CHECK_THROWS_SAYING(detectable_difference({1, 4}, 1, 0.95, 0.0), std::invalid_argument, "p is 0");
  CHECK_THROWS_SAYING(published_reliable_difference(1, 1), std::invalid_argument, "seeds");
  CHECK_THROWS_SAYING(paired_reliable_difference(std::vector{1.0}), std::invalid_argument,
                      "fewer than two");
  CHECK_THROWS_SAYING(coefficient_of_variation({1, 1, 0}), std::invalid_argument, "n = 1");
  CHECK_THROWS_SAYING(coefficient_of_variation({2, 0, 1}), std::domain_error, "the mean is 0");
  CHECK_THROWS_SAYING(told_apart(std::vector{1.0}, 0.1), std::invalid_argument, "means");
  CHECK_THROWS_SAYING(neighbours_apart(std::vector{1.0, 2.0}, -0.1), std::invalid_argument,
                      "difference");
  CHECK_THROWS_SAYING(pooled_noise(std::vector<Scores>{{2, 0, -1}}), std::invalid_argument, "sd");
}
