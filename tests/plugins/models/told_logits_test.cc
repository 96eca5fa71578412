// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/scbm/told_logits.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

#include "conoscope/sdk/random.h"

using namespace conoscope::models;
namespace sdk = conoscope::sdk;

namespace {

Matrix covariance_of_two(double a, double b, double shared) {
  Matrix out(2, 2);
  out << a, shared, shared, b;
  return out;
}

double log_odds(double p) { return std::log(p / (1.0 - p)); }

/// M draws of K concepts for a head that answers concept 0's logit and its opposite.
SampledHead head_of(Index samples, Index k, SampledHead::Output output) {
  SampledHead out;
  sdk::Random random{sdk::Seed(3)};
  out.noise.resize(samples, k);
  out.chance.resize(samples, k);
  for (double& value : out.noise.reshaped()) value = random.normal();
  for (double& value : out.chance.reshaped()) value = random.uniform();
  out.weight = Matrix::Zero(2, k);
  out.weight(0, 0) = 2.0;
  out.bias = Vector::Zero(2);
  out.output = output;
  return out;
}

}  // namespace

TEST_CASE("condition: the textbook's two normal variables") {
  Vector mean(2), logit(1);
  mean << 1.0, -1.0;
  logit << 3.0;
  const auto rest = condition(mean, covariance_of_two(4.0, 1.0, 1.0), {0}, logit);
  CHECK(rest.mean(0) == doctest::Approx(-1.0 + 1.0 / 4.0 * 2.0));
  CHECK(rest.covariance(0, 0) == doctest::Approx(1.0 - 1.0 / 4.0));
  // Independent: nothing moves. All told: nothing is left.
  CHECK(condition(mean, covariance_of_two(4.0, 1.0, 0.0), {0}, logit).mean(0) == -1.0);
  CHECK(condition(mean, covariance_of_two(4.0, 1.0, 1.0), {0, 1}, mean).mean.size() == 0);
  CHECK_THROWS_AS(condition(mean, covariance_of_two(1, 1, 0), {}, Vector()), std::invalid_argument);
  CHECK_THROWS_AS(condition(mean, covariance_of_two(1, 1, 0), {1, 0}, mean), std::invalid_argument);
  CHECK_THROWS_AS(condition(mean, covariance_of_two(1, 1, 0), {2}, logit), std::invalid_argument);
}

TEST_CASE("region_point: of one concept it is the end of the interval") {
  const Vector mean = Vector::Constant(1, 0.5), there = Vector::Ones(1), gone = Vector::Zero(1);
  const Matrix variance = Matrix::Constant(1, 1, 4.0);
  // 95 % of a normal distribution lie within 1.959964 standard deviations.
  CHECK(region_point(mean, variance, there, 0.95).optimum(0) ==
        doctest::Approx(0.5 + 2 * 1.959964));
  CHECK(region_point(mean, variance, gone, 0.95).optimum(0) == doctest::Approx(0.5 - 2 * 1.959964));
  CHECK(region_point(mean, variance, there, 0.95).start(0) == doctest::Approx(0.5 + 2 * 1.959964));
  CHECK_THROWS_AS(region_point(mean, variance, there, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(region_point(mean, Matrix::Ones(2, 2), there, 0.9), std::invalid_argument);
}

TEST_CASE("region_point: on the region's edge, and nothing of the region is better") {
  Vector mean(2), truth(2);
  mean << 0.3, -0.2;
  for (const double shared : {-1.5, 0.0, 1.5}) {
    const Matrix covariance = covariance_of_two(2.0, 3.0, shared);
    const Matrix precision = covariance.inverse();
    for (const double second : {0.0, 1.0}) {
      truth << 1.0, second;
      const RegionPoint found = region_point(mean, covariance, truth, 0.9);
      const Vector d = found.optimum - mean;
      const double chi2 = -2.0 * std::log(0.1);  // of two degrees of freedom
      CHECK(d.dot(precision * d) == doctest::Approx(chi2).epsilon(1e-6));
      CHECK(d(0) >= 1e-4 - 1e-12);
      CHECK((second > 0.5 ? d(1) : -d(1)) >= 1e-4 - 1e-12);
      double best = 1e9;
      for (double angle = 0; angle < 6.2832; angle += 1e-4) {
        Vector u(2);
        u << std::cos(angle), std::sin(angle);
        u *= std::sqrt(chi2 / u.dot(precision * u));
        if (u(0) < 1e-4 || (second > 0.5 ? u(1) : -u(1)) < 1e-4) continue;
        best = std::min(
            best, std::log1p(std::exp(-(mean(0) + u(0)))) +
                      std::log1p(std::exp(second > 0.5 ? -(mean(1) + u(1)) : mean(1) + u(1))));
      }
      CHECK(found.objective == doctest::Approx(best).epsilon(1e-5));
    }
  }
}

TEST_CASE("empirical_covariance: its raw numbers are those of its factor") {
  sdk::Random random{sdk::Seed(1)};
  Matrix concepts(50, 3);
  for (double& value : concepts.reshaped()) value = random.uniform() < 0.4 ? 1.0 : 0.0;
  const auto found = empirical_covariance(concepts);
  const Matrix factor = covariance_factor(found.raw, 3);
  CHECK((factor * factor.transpose() - found.covariance).cwiseAbs().maxCoeff() < 1e-4);
  concepts.col(2) = concepts.col(0);
  CHECK_THROWS_WITH_AS(empirical_covariance(concepts), doctest::Contains("singular"),
                       std::domain_error);
  CHECK_THROWS_AS(empirical_covariance(concepts.topRows(1)), std::invalid_argument);
  CHECK_THROWS_AS(covariance_factor(found.raw, 4), std::invalid_argument);
}

TEST_CASE("gumbel_temperature: from start to end, and no lower") {
  CHECK(gumbel_temperature(0, 300) == 1.0);
  CHECK(gumbel_temperature(150, 300) == doctest::Approx(std::sqrt(0.5)));
  CHECK(gumbel_temperature(600, 300) == 0.5);
}

TEST_CASE("SampledHead: told concepts are exact, and move others by their covariance") {
  Vector mean(2), truth(1), logit(1);
  mean << 0.0, 0.0;
  const Matrix factor = covariance_of_two(2.0, 0.5, 0.0) + [] {
    Matrix lower = Matrix::Zero(2, 2);
    lower(1, 0) = 1.9;
    return lower;
  }();
  const SampledHead head = head_of(4000, 2, SampledHead::Output::kSoftmax);
  // Concept 0 there: softmax of (2, 0) on every sample.
  truth << 1.0;
  logit << log_odds(0.95);
  const Vector there = head.answer(mean, factor, {0}, truth, logit);
  CHECK(std::exp(there(0)) == doctest::Approx(1.0 / (1.0 + std::exp(-2.0))).epsilon(1e-5));
  // Nothing told: half of the samples; 1 / sqrt(4000) is 0.016.
  const Vector none = head.answer(mean, factor);
  const double between = 0.5 * (0.5 + 1.0 / (1.0 + std::exp(-2.0)));
  CHECK(std::exp(none(0)) == doctest::Approx(between).epsilon(0.02));
  // Concept 1 told, concept 0 follows it; and does not where they are independent.
  const Vector followed = head.answer(mean, factor, {1}, truth, logit);
  CHECK(followed(0) > none(0) + 0.05);
  Matrix alone = factor;
  alone(1, 0) = 0.0;
  CHECK(head.answer(mean, alone, {1}, truth, logit)(0) == doctest::Approx(none(0)).epsilon(1e-9));
  // All told: the head's own answer.
  Vector both(2);
  both << 1.0, 0.0;
  const SampledHead plain = head_of(5, 2, SampledHead::Output::kIdentity);
  CHECK(plain.answer(mean, factor, {0, 1}, both, both)(0) == doctest::Approx(2.0));
  const SampledHead attributes = head_of(5, 2, SampledHead::Output::kSigmoid);
  CHECK(attributes.answer(mean, factor, {0, 1}, both, both)(0) == doctest::Approx(2.0));
  CHECK(head.probabilities(mean, factor)(0) == doctest::Approx(0.5).epsilon(0.03));
}
