// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "metrics/disentanglement/dci.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/r4.h"
#include "numerics/gradient_boosting.h"
#include "numerics/random.h"
#include "numerics/random_forest.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Sample {
  Matrix codes, factors;
};
/// Codes 0 and 1 are the factors with a little noise, code 2 is noise.
Sample sample(Index n, std::uint64_t seed) {
  Random random(seed);
  Sample out{Matrix(n, 3), Matrix(n, 2)};
  for (Index i = 0; i < n; ++i) {
    out.factors.row(i) << static_cast<double>(random.below(3)),
        static_cast<double>(random.below(12));
    out.codes.row(i) << out.factors(i, 0) + 0.1 * random.uniform(),
        out.factors(i, 1) + 0.1 * random.uniform(), random.uniform();
  }
  return out;
}

TEST_CASE("dci_disentanglement, dci_completeness: by hand") {
  const Matrix importance = (Matrix(3, 2) << 3, 0, 1, 1, 0, 0).finished();
  const DciScore codes = dci_disentanglement(importance), factors = dci_completeness(importance);
  CHECK(codes.each[0] == doctest::Approx(1.0));
  CHECK(codes.each[1] == doctest::Approx(0.0));
  CHECK(codes.each[2] == doctest::Approx(0.0));
  CHECK(codes.value == doctest::Approx(0.6));
  CHECK(codes.mean == doctest::Approx(1.0 / 3.0));
  const double h = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)) / std::log(3.0);
  CHECK(factors.value == doctest::Approx((4 * (1 - h) + 1) / 5));
  for (const auto part : {dci_disentanglement, dci_completeness}) {
    CHECK(part(Matrix::Zero(3, 2)).value == doctest::Approx(0.0));
    CHECK_THROWS_SAYING(part(Matrix::Ones(1, 3)), std::invalid_argument, "1 x 3");
    CHECK_THROWS_SAYING(part(-importance), std::invalid_argument, "negative");
    CHECK_THROWS_SAYING(part(Matrix::Constant(2, 2, kNaN)), std::invalid_argument,
                        "importance is nan");
  }
}

TEST_CASE("gradient_boosting: one stage of one split by hand") {
  const Matrix x = (Matrix(4, 2) << 0, 5, 1, 5, 2, 5, 3, 5).finished();
  const Vector y = (Vector(4) << 0, 0, 0, 8).finished();
  const SortedFeatures sorted(x);
  const auto model = GradientBoosting::regression(sorted, y, {1, 1, 0.5});
  // mean 2; residuals -2 and 6 on either side of 2.5
  CHECK(model.predict(x) == (Vector(4) << 1, 1, 1, 5).finished());
  CHECK(model.importance() == (Vector(2) << 1, 0).finished());
  const Matrix border = (Matrix(2, 2) << 2.5, 0, 2.6, 0).finished();
  CHECK(model.predict(border) == (Vector(2) << 1, 5).finished());

  const auto two = GradientBoosting::classification(sorted, {0, 0, 0, 1}, 2, {1, 1, 1.0});
  // log-odds -log 3; leaf: sum r / sum p (1 - p) with p = 1/4
  const double up = 0.75 / (0.25 * 0.75) - std::log(3.0);
  CHECK(two.probabilities(x)(3, 1) == doctest::Approx(1.0 / (1.0 + std::exp(-up))));
  CHECK(two.classify(x) == IndexVector{0, 0, 0, 1});
}

TEST_CASE("gradient_boosting: invariant to the order of rows; nothing to split") {
  const Sample s = sample(200, 3);
  const Vector y = s.factors.col(1);
  const auto one = GradientBoosting::regression(SortedFeatures(s.codes), y);
  const Matrix turned = s.codes.colwise().reverse();
  const Vector turned_y = y.reverse();
  const auto other = GradientBoosting::regression(SortedFeatures(turned), turned_y);
  CHECK((one.predict(s.codes) - other.predict(s.codes)).cwiseAbs().maxCoeff() < 1e-9);
  CHECK((one.predict(s.codes) - y).cwiseAbs().maxCoeff() < 0.5);
  CHECK(one.importance().sum() == doctest::Approx(1.0));
  CHECK(one.importance()[1] > 0.95);
  const auto flat =
      GradientBoosting::regression(SortedFeatures(Matrix::Ones(5, 2)), Vector::LinSpaced(5, 0, 1));
  CHECK(flat.importance().isZero(0.0));
  CHECK(flat.predict(Matrix::Zero(1, 2))[0] == doctest::Approx(0.5));
}

TEST_CASE("gradient_boosting: bad input") {
  const Sample s = sample(20, 3);
  const SortedFeatures sorted(s.codes);
  CHECK_THROWS_SAYING(SortedFeatures(Matrix(0, 2)), std::invalid_argument, "x is 0 x 2");
  CHECK_THROWS_SAYING(SortedFeatures(Matrix::Constant(2, 1, kNaN)), std::invalid_argument,
                      "x is nan");
  CHECK_THROWS_SAYING(SortedFeatures(Matrix::Constant(2, 1, 1e300)), std::invalid_argument,
                      "x is inf");
  CHECK_THROWS_SAYING(GradientBoosting::regression(sorted, Vector::Ones(3)), std::invalid_argument,
                      "target has 3 entries for 20 rows");
  CHECK_THROWS_SAYING(GradientBoosting::regression(sorted, Vector::Constant(20, kNaN)),
                      std::invalid_argument, "target is nan");
  CHECK_THROWS_SAYING(GradientBoosting::regression(sorted, Vector::Ones(20), {0, 3, 0.1}),
                      std::invalid_argument, "stages is 0");
  CHECK_THROWS_SAYING(GradientBoosting::classification(sorted, IndexVector(20, 0), 1),
                      std::invalid_argument, "classes is 1");
  CHECK_THROWS_SAYING(GradientBoosting::classification(sorted, IndexVector(20, 0), 2),
                      std::invalid_argument, "no sample of class 1");
  CHECK_THROWS_SAYING(GradientBoosting::classification(sorted, {0, 1}, 2), std::invalid_argument,
                      "2 labels");
  const auto model = GradientBoosting::regression(sorted, s.factors.col(0));
  CHECK_THROWS_SAYING(model.predict(s.codes.leftCols(2)), std::invalid_argument, "x has 2 columns");
}

TEST_CASE("random_forest: finds the feature; leaves that are too large find none") {
  const Sample s = sample(2000, 5);
  const ForestFit fit = random_forest(s.codes, s.factors.col(1), {.min_leaf = 20, .seed = 1});
  CHECK(fit.importance[1] > 0.8);
  CHECK(fit.importance.sum() == doctest::Approx(1.0));
  CHECK(fit.out_of_bag_r2 > 0.6);
  CHECK(fit.out_of_bag_r2 < 1.0);
  const ForestFit again = random_forest(s.codes, s.factors.col(1), {.min_leaf = 20, .seed = 1});
  CHECK(again.importance == fit.importance);
  CHECK(random_forest(s.codes, s.factors.col(1), {.min_leaf = 20, .seed = 2}).importance !=
        fit.importance);
  CHECK(random_forest(s.codes, s.factors.col(1), {.min_leaf = 1500}).importance.isZero(0.0));
  // Far from 0, too, the same splits are found.
  const Vector far = s.factors.col(1).array() + 1e9;
  const ForestFit moved = random_forest(s.codes, far, {.min_leaf = 20, .seed = 1});
  CHECK(moved.importance.isApprox(fit.importance, 1e-6));
  CHECK(moved.out_of_bag_r2 == doctest::Approx(fit.out_of_bag_r2).epsilon(1e-6));
  CHECK_THROWS_SAYING(random_forest(s.codes, Vector::Ones(3)), std::invalid_argument, "3 entries");
  CHECK_THROWS_SAYING(random_forest(s.codes, Vector::Ones(2000)), std::domain_error,
                      "target is constant");
  CHECK_THROWS_SAYING(random_forest(s.codes, s.factors.col(1), {.trees = 0}), std::invalid_argument,
                      "trees is 0");
  CHECK_THROWS_SAYING(random_forest(s.codes, Vector::Constant(2000, kNaN)), std::invalid_argument,
                      "target is nan");
}

TEST_CASE("dci models: perfect codes score above shuffled ones") {
  const Sample s = sample(600, 6), t = sample(300, 7);
  Matrix mixed = s.codes, mixed_t = t.codes;
  for (Matrix* codes : {&mixed, &mixed_t}) {
    codes->col(0) += 0.25 * codes->col(1);
    codes->col(1) -= 2.0 * codes->col(0);
  }
  const BoostingOptions few{20, 3, 0.1};
  const DciFit perfect = dci_boosting({s.codes, s.factors, t.codes, t.factors}, few);
  const DciFit entangled = dci_boosting({mixed, s.factors, mixed_t, t.factors}, few);
  CHECK(dci_disentanglement(perfect.importance).value > 0.95);
  CHECK(dci_disentanglement(perfect.importance).value >
        dci_disentanglement(entangled.importance).value);
  CHECK(perfect.informativeness > 0.95);
  CHECK(dci_disentanglement(dci_forest({s.codes, s.factors}, {.min_leaf = 20}).importance).value >
        0.6);
  const ExchangedDci exchanged = dci_exchanged({s.codes, s.factors, t.codes, t.factors}, few);
  CHECK(exchanged.importance.rows() == 2);
  CHECK(exchanged.importance.cols() == 3);
  CHECK(dci_disentanglement(exchanged.importance.leftCols(2)).value > 0.95);
  CHECK(exchanged.r2[0] > 0.9);
  CHECK(exchanged.r2[2] < 0.1);  // noise
  Matrix still = t.codes;
  still.col(1).setConstant(0.1);
  CHECK(dci_exchanged({s.codes, s.factors, still, t.factors}, few).r2[1] == 0.0);
  CHECK_THROWS_SAYING(
      dci_exchanged({s.codes, s.factors.leftCols(1), t.codes, t.factors.leftCols(1)}),
      std::invalid_argument, "3 codes and 1 factors");
  Matrix single = s.factors;
  single.col(0).setOnes();
  const DciFit one = dci_boosting({s.codes, single, t.codes, t.factors}, few);
  CHECK(one.importance.col(0).isZero(0.0));
  CHECK_THROWS_SAYING(dci_forest({s.codes, single}), std::domain_error, "target is constant");
  // The share is rounded, and a leaf has a row at least.
  const auto importance = [&](const DciForestOptions& options) {
    return dci_forest({s.codes, s.factors}, options).importance;
  };
  CHECK(importance({.min_leaf_share = 0.0342}) == importance({.min_leaf = 21}));
  CHECK(importance({}) == importance({.min_leaf = 1}));
  CHECK(importance({.min_leaf = 2}) != importance({.min_leaf = 1}));
  CHECK_THROWS_SAYING(importance({.min_leaf_share = 0.0}), std::invalid_argument,
                      "min_leaf_share is 0.000000; needs to be above 0 and at most 1");
  CHECK_THROWS_SAYING(importance({.min_leaf_share = kNaN}), std::invalid_argument,
                      "min_leaf_share is nan");
  CHECK_THROWS_SAYING(importance({.min_leaf = -1}), std::invalid_argument, "min_leaf is -1");
  CHECK_THROWS_SAYING(dci_boosting({s.codes, s.factors, t.codes.leftCols(1), t.factors}),
                      std::invalid_argument, "test_codes");
}

TEST_CASE("r4: a bijection scores near 1, noise near 0, a constant code does not help") {
  Random random(8);
  Matrix factors(300, 1), codes(300, 3);
  for (Index i = 0; i < 300; ++i) {
    factors(i, 0) = random.uniform();
    codes.row(i) << std::exp(factors(i, 0)), random.uniform(), 0.1;
  }
  const R4 result = r4({codes, factors}, r4_splits(300, 1));
  CHECK(result.value > 0.99);
  CHECK(result.forward(0, 2) == 1.0);
  const R4 noise = r4({codes.rightCols(2), factors}, r4_splits(300, 1));
  CHECK(noise.value < 0.3);
  const auto splits = r4_splits(10, 1, 2);
  CHECK(splits[0].test.size() == 3);
  CHECK(splits[0].train.size() == 7);
  CHECK_THROWS_SAYING(r4({codes, factors}, {}), std::invalid_argument, "splits is empty");
  CHECK_THROWS_SAYING(r4({codes, factors}, {{{0, 1}, {}}}), std::invalid_argument, "without rows");
  CHECK_THROWS_SAYING(r4({codes, factors}, {{{0, 300}, {1}}}), std::invalid_argument, "row 300");
  CHECK_THROWS_SAYING(r4_splits(1, 1), std::invalid_argument, "samples is 1");
  CHECK_THROWS_SAYING(r4_splits(10, 1, 0), std::invalid_argument, "count is 0");
  CHECK_THROWS_SAYING(r4({codes, factors.topRows(4)}, splits), std::invalid_argument,
                      "factors 4 x 1");
}

TEST_CASE("dci models, r4: NaN and other lengths are refused by name") {
  Sample s = sample(60, 3);
  const Matrix codes = s.codes, factors = s.factors;
  CHECK_THROWS_SAYING(dci_boosting({codes.topRows(9), factors, codes, factors}),
                      std::invalid_argument, "train_codes", "9 x");
  CHECK_THROWS_SAYING(dci_forest({codes.topRows(9), factors}), std::invalid_argument, "codes",
                      "9 x");
  CHECK_THROWS_SAYING(dci_forest({codes.leftCols(1), factors}), std::invalid_argument, "codes");
  s.codes(4, 0) = kNaN;
  CHECK_THROWS_SAYING(dci_boosting({s.codes, factors, codes, factors}), std::invalid_argument,
                      "train_codes is nan");
  CHECK_THROWS_SAYING(dci_boosting({codes, factors, s.codes, factors}), std::invalid_argument,
                      "test_codes is nan");
  CHECK_THROWS_SAYING(dci_forest({s.codes, factors}), std::invalid_argument, "codes is nan");
  CHECK_THROWS_SAYING(r4({s.codes, factors}, r4_splits(60, 1)), std::invalid_argument,
                      "codes is nan");
  s.factors(4, 1) = kNaN;
  CHECK_THROWS_SAYING(dci_boosting({codes, s.factors, codes, factors}), std::invalid_argument,
                      "train_factors is nan");
  CHECK_THROWS_SAYING(dci_forest({codes, s.factors}), std::invalid_argument, "factors is nan");
  CHECK_THROWS_SAYING(r4({codes, s.factors}, r4_splits(60, 1)), std::invalid_argument,
                      "factors is nan");
}

}  // namespace

}  // namespace conoscope::tests
