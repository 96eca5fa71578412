// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "metrics/disentanglement/explicitness.h"
#include "metrics/disentanglement/sap.h"
#include "numerics/random.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Codes that are two of three factors, and noise; the factors have 3, 2 and 4 values.
struct Sample {
  Matrix codes, factors;
};
Sample sample(Index n, std::uint64_t seed) {
  Random random(seed);
  Sample out{Matrix(n, 3), Matrix(n, 3)};
  for (Index i = 0; i < n; ++i) {
    out.factors.row(i) << static_cast<double>(random.below(3)),
        static_cast<double>(random.below(2)), static_cast<double>(random.below(4));
    out.codes.row(i) << 2.0 * out.factors(i, 0) - 1.0, 3.0 - out.factors(i, 1), random.uniform();
  }
  return out;
}

TEST_CASE("sap: by hand and its ways") {
  const Sample s = sample(400, 1), t = sample(200, 2);
  const Sap discrete = sap_discrete({s.codes, s.factors, t.codes, t.factors});
  CHECK(discrete.scores(1, 1) == 1.0);
  CHECK(discrete.by_factor[1] > 0.3);
  CHECK(discrete.by_factor[1] < 0.6);  // chance is 0.5 already
  const Sap continuous = sap_continuous({s.codes, s.factors});
  CHECK(continuous.scores(0, 0) == doctest::Approx(1.0));
  CHECK(continuous.by_factor[0] > 0.9);
  CHECK(sap_continuous({Matrix::Constant(400, 2, 0.1), s.factors}).value == 0.0);
  CHECK(sap_ross({s.codes, s.factors}).scores(1, 1) == 1.0);
  CHECK(sap_20_80({s.codes, s.factors}).scores ==
        sap_discrete({s.codes.topRows(80), s.factors.topRows(80), s.codes.bottomRows(320),
                      s.factors.bottomRows(320)})
            .scores);
  CHECK_THROWS_SAYING(sap_20_80({s.codes.topRows(1), s.factors.topRows(1)}), std::invalid_argument,
                      "there is one row");
  CHECK(sap_ross({s.codes, Matrix(0.5 * s.factors.array() + 0.25)}).scores ==
        sap_continuous({s.codes, Matrix(0.5 * s.factors.array() + 0.25)}).scores);
  CHECK(is_categorical(s.factors.col(0)));
  CHECK_FALSE(is_categorical(Vector::LinSpaced(11, 0, 10)));
  CHECK_FALSE(is_categorical(Vector::Constant(3, 0.5)));
}

TEST_CASE("sap: one training value is what is predicted; bad input") {
  const Sample s = sample(60, 1);
  Matrix single = s.factors;
  single.col(1).setConstant(1.0);
  CHECK(sap_discrete({s.codes, single, s.codes, single}).scores(0, 1) == 1.0);
  CHECK_THROWS_SAYING(sap_continuous({s.codes, single}), std::domain_error, "single value");
  CHECK_THROWS_SAYING(sap_ross({s.codes, single}), std::domain_error, "number 1");
  CHECK_THROWS_SAYING(sap_continuous({s.codes.leftCols(1), s.factors}), std::invalid_argument,
                      "codes has 1 columns");
  CHECK_THROWS_SAYING(sap_discrete({s.codes, s.factors, s.codes, s.factors.leftCols(2)}),
                      std::invalid_argument, "test_codes and test_factors");
  CHECK_THROWS_SAYING(sap_ross({s.codes.topRows(5), s.factors}), std::invalid_argument, "5 x 3");
}

TEST_CASE("explicitness: told factors 1, untold ones near chance; constants and singles left out") {
  const Sample s = sample(400, 1), t = sample(400, 2);
  const Explicitness result = explicitness({s.codes, s.factors, t.codes, t.factors});
  CHECK(result.by_factor[0] > 0.8);  // the middle value of three on a line is not linear
  CHECK(result.by_factor[1] == 1.0);
  CHECK(std::abs(result.by_factor[2] - 0.5) < 0.1);
  Matrix constant = s.codes, constant_t = t.codes, single = s.factors;
  constant.col(2).setConstant(0.1);
  constant_t.col(2).setConstant(0.1);
  single.col(0).setConstant(2.0);
  const Explicitness left = explicitness({constant, single, constant_t, t.factors});
  CHECK(left.dropped_codes == IndexVector{2});
  CHECK(left.dropped_factors == IndexVector{0});
  CHECK(left.by_factor.size() == 2);
  // A class that the test samples lack: mean over those that they have.
  Matrix fewer = t.factors;
  fewer.col(2) = fewer.col(2).cwiseMin(2.0);
  CHECK(explicitness({s.codes, s.factors, t.codes, fewer}).by_factor.size() == 3);
  CHECK_THROWS_SAYING(
      explicitness({Matrix::Ones(400, 2), s.factors, Matrix::Ones(400, 2), t.factors}),
      std::domain_error, "train_codes is constant");
  CHECK_THROWS_SAYING(explicitness({s.codes, Matrix::Ones(400, 2), t.codes, Matrix::Ones(400, 2)}),
                      std::domain_error, "no factor has two values");
  CHECK_THROWS_SAYING(explicitness({s.codes, s.factors, t.codes.leftCols(2), t.factors}),
                      std::invalid_argument, "test_codes");
}

TEST_CASE("sap: a code in small units; one of a single value") {
  const Sample s = sample(60, 1);
  Matrix codes = s.codes;
  const Matrix factors = 0.5 * s.factors.array() + 0.25;  // not whole, so a regression
  const Sap ross = sap_ross({codes, factors}), continuous = sap_continuous({codes, factors});
  codes.col(1) *= 1e-8;
  CHECK(sap_ross({codes, factors}).scores.isApprox(ross.scores, 1e-12));
  // The library's floor on the variance is a part of its own way only.
  CHECK(continuous.scores(1, 1) > 0.9);
  CHECK(sap_continuous({codes, factors}).scores(1, 1) == 0.0);
  codes.col(1).setConstant(0.1);
  CHECK(sap_ross({codes, factors}).scores.row(1).isZero(0.0));
  CHECK(sap_continuous({codes, factors}).scores.row(1).isZero(0.0));
}

TEST_CASE("sap, explicitness: NaN is refused by name, a class of one is scored") {
  const Sample s = sample(60, 1);
  Matrix codes = s.codes, factors = s.factors;
  codes(3, 1) = kNaN;
  for (const auto score : {sap_continuous, sap_ross})
    CHECK_THROWS_SAYING(score({codes, factors}), std::invalid_argument, "codes is nan at row 3");
  CHECK_THROWS_SAYING(sap_discrete({codes, factors, s.codes, s.factors}), std::invalid_argument,
                      "train_codes is nan at row 3");
  CHECK_THROWS_SAYING(sap_discrete({s.codes, s.factors, codes, factors}), std::invalid_argument,
                      "test_codes is nan at row 3");
  CHECK_THROWS_SAYING(explicitness({codes, factors, s.codes, s.factors}), std::invalid_argument,
                      "train_codes is nan at row 3");
  CHECK_THROWS_SAYING(explicitness({s.codes, s.factors, codes, factors}), std::invalid_argument,
                      "test_codes is nan at row 3");
  factors(2, 0) = kNaN;
  for (const auto score : {sap_continuous, sap_ross})
    CHECK_THROWS_SAYING(score({s.codes, factors}), std::invalid_argument,
                        "factors is nan at row 2");
  factors = s.factors;
  factors(2, 0) = 9.0;
  CHECK(sap_discrete({s.codes, factors, s.codes, s.factors}).value >= 0.0);
  CHECK(sap_ross({s.codes, factors}).value >= 0.0);
}

}  // namespace

}  // namespace conoscope::tests
