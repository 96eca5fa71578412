// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/interventional_effects.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/moved_heap.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("interventional_effects: by hand, with an empty combination") {
  const Matrix factors = (Matrix(5, 2) << 0, 0, 0, 0, 0, 1, 0, 1, 1, 0).finished();
  const Matrix z = (Matrix(5, 1) << 1, 3, 4, 12, 9).finished();
  const auto effects = interventional_effects(z, factors, {0});
  REQUIRE(effects.size() == 1);
  CHECK(effects[0].curve.values == std::vector<double>{0, 1});
  CHECK(effects[0].curve.mean == (Vector(2) << 5, 9).finished());
  CHECK(effects[0].curve.median == (Vector(2) << 3.5, 9).finished());
  CHECK(effects[0].curve.standard_deviation[0] == doctest::Approx(std::sqrt(17.5)));
  REQUIRE(effects[0].lines.size() == 1);
  const EffectLines& lines = effects[0].lines[0];
  CHECK(lines.factor == 1);
  CHECK(lines.samples == (Matrix(2, 2) << 2, 2, 1, 0).finished());
  for (const Matrix* means : {&lines.conditional_mean, &lines.do_both, &lines.given_parent}) {
    CHECK((*means)(0, 0) == doctest::Approx(2.0));
    CHECK((*means)(0, 1) == doctest::Approx(8.0));
    CHECK((*means)(1, 0) == doctest::Approx(9.0));
    CHECK(std::isnan((*means)(1, 1)));
  }
  CHECK(interventional_effects(z, factors, {-1}).empty());
  CHECK_THROWS_SAYING(interventional_effects(z, factors, {0, 1}), std::invalid_argument,
                      "parents has 2 entries for 1 latents");
  CHECK_THROWS_SAYING(interventional_effects(z, factors, {2}), std::invalid_argument, "holds 2");
}

TEST_CASE("interventional_effects: the same bits wherever its numbers lie in memory") {
  Matrix codes(997, 1), factors(997, 2);
  for (Index i = 0; i < 997; ++i) {
    codes(i, 0) = 10.0 + std::sin(static_cast<double>(i * i));
    factors.row(i) << static_cast<double>(i % 3), static_cast<double>(i % 2);
  }
  const auto found = testing::with_moved_heap([&] {
    const ParentCurve curve = interventional_effects(codes, factors, {0})[0].curve;
    return Vector(curve.mean + curve.standard_deviation);
  });
  for (const Vector& one : found) CHECK(one == found[0]);
}

TEST_CASE("violins: a density that integrates to nearly all, and a single point") {
  Vector z(101), g(101);
  for (Index i = 0; i < 100; ++i) {
    z[i] = static_cast<double>(i) / 10.0;
    g[i] = 3.0;
  }
  z[100] = 5.0;
  g[100] = 1.0;
  const auto all = violins(z, g, 200);
  REQUIRE(all.size() == 2);
  CHECK(all[0].value == 1.0);
  CHECK(all[0].position.size() == 1);
  CHECK(all[0].density.size() == 0);
  CHECK(all[1].position[0] == 0.0);
  CHECK(all[1].position[199] == doctest::Approx(9.9));
  const double area = all[1].density.sum() * 9.9 / 199.0;
  CHECK(area > 0.8);
  CHECK(area < 1.0);
  CHECK_THROWS_SAYING(violins(z, g.head(3)), std::invalid_argument, "factor 3");
  CHECK_THROWS_SAYING(violins(z, g, 1), std::invalid_argument, "points is 1");
  z[4] = std::nan("");
  CHECK_THROWS_SAYING(violins(z, g), std::invalid_argument, "codes is nan at entry 4");
}

TEST_CASE("interventional_effects: NaN and other lengths are refused by name") {
  const Matrix z = Matrix::Ones(4, 1), g = Matrix::Ones(4, 2);
  CHECK_THROWS_SAYING(interventional_effects(z * std::nan(""), g, {0}), std::invalid_argument,
                      "codes is nan");
  CHECK_THROWS_SAYING(interventional_effects(z, g * std::nan(""), {0}), std::invalid_argument,
                      "factors is nan");
  CHECK_THROWS_SAYING(interventional_effects(z.topRows(3), g, {0}), std::invalid_argument,
                      "codes is 3 x 1");
}

}  // namespace

}  // namespace conoscope::tests
