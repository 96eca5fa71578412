// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/irs.h"

#include <doctest/doctest.h>

#include <cmath>

#include "numerics/random.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

/// 2 x 2 grid; latent 0 is factor 0, latent 1 is 3 (factor 0) + factor 1.
Matrix grid() { return (Matrix(4, 2) << 0, 0, 0, 1, 1, 0, 1, 1).finished(); }
Matrix codes() { return (Matrix(4, 2) << 0, 0, 0, 1, 1, 3, 1, 4).finished(); }

TEST_CASE("empida, irs: by hand") {
  const FactorCells cells = factor_cells(codes(), grid());
  // latent 1: mean of g0 = 1 is 3.5, of the cells (1, 0) and (1, 1) 3 and 4; likewise with g0 = 0
  CHECK(empida(cells, {1}, {0}, {1}).value == doctest::Approx(0.5));
  CHECK(empida(cells, {1}, {1}, {0}).value == doctest::Approx(1.5));
  CHECK(empida(cells, {1}, {}, {0, 1}).value == doctest::Approx(2.0));
  const Irs result = irs(cells, {1}, {0}, {1});
  CHECK(result.value.value() == doctest::Approx(1.0 - 0.5 / 2.0));
  CHECK(result.normaliser == doctest::Approx(2.0));
  CHECK(result.coverage == 1.0);
  CHECK(irs(cells, {0}, {0}, {1}).value.value() == 1.0);
  CHECK(irs(cells, {0}, {}, {0, 1}).value.value() == 0.0);
  CHECK(domain_shift_robustness(cells, {1}, {0}).value.value() == doctest::Approx(0.25));
  // Latent 1 with g0 held: 0 and 1 around 0.5, 3 and 4 around 3.5; with none held all around 2.
  CHECK(mpida(cells, {1}, {0}, {1}).isApprox((Vector(2) << 0.5, 0.5).finished()));
  CHECK(pida(cells, {1}, {0}, {1}).isApprox((Vector(4) << 0.5, 0.5, 0.5, 0.5).finished()));
  CHECK(pida(cells, {1}, {}, {0, 1}).isApprox((Vector(4) << 2, 1, 1, 2).finished()));
}

TEST_CASE("irs: distances of a group of latents") {
  const FactorCells cells = factor_cells(codes(), grid());
  // J = factor 0 moves latent 0 by 0.5 and latent 1 by 1.5
  const auto moved = [&](CodeDistance d) {
    return empida(cells, {0, 1}, {1}, {0}, {.distance = d}).value;
  };
  CHECK(moved(CodeDistance::kL2) == doctest::Approx(std::sqrt(2.5)));
  CHECK(moved(CodeDistance::kL1) == doctest::Approx(2.0));
  CHECK(moved(CodeDistance::kLinf) == doctest::Approx(1.5));
}

TEST_CASE("irs: the outer average is empirical or uniform") {
  Matrix factors(6, 2), z(6, 1);
  factors << 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1;
  z << 0, 0, 2, 2, 5, 5;
  const FactorCells cells = factor_cells(z, factors);
  CHECK(empida(cells, {0}, {0}, {1}).value == doctest::Approx(4.0 / 6.0));
  CHECK(empida(cells, {0}, {0}, {1}, {.average = OuterAverage::kUniform}).value ==
        doctest::Approx(0.5));
}

TEST_CASE("irs: invariant to order, shift and scale; a constant latent has none") {
  Random random(3);
  Matrix factors(200, 3), z(200, 2);
  for (Index i = 0; i < 200; ++i) {
    for (Index k = 0; k < 3; ++k) factors(i, k) = static_cast<double>(random.below(3));
    z(i, 0) = factors(i, 0) + 0.3 * factors(i, 1) + random.uniform();
    z(i, 1) = 0.1;
  }
  const auto value = [&](const Matrix& c, const Matrix& f) {
    return irs(factor_cells(c, f), {0}, {0}, {1, 2}).value.value();
  };
  const double one = value(z, factors);
  CHECK(value(Matrix(-3.0 * z.array() + 100.0), factors) == doctest::Approx(one).epsilon(1e-9));
  CHECK(value(z.colwise().reverse(), factors.colwise().reverse()) ==
        doctest::Approx(one).epsilon(1e-12));
  CHECK_FALSE(irs(factor_cells(z, factors), {1}, {0}, {1, 2}).value.has_value());
  CHECK(irs(factor_cells(z, factors), {0, 1}, {0}, {1, 2}).value.value() ==
        doctest::Approx(one).epsilon(1e-12));
}

TEST_CASE("irs: literal weights depend on the origin where combinations are missing") {
  const Matrix factors = (Matrix(3, 2) << 0, 0, 0, 1, 1, 0).finished();
  const Matrix z = (Matrix(3, 1) << 0, 1, 5).finished();
  const auto of = [&](double shift, InterventionWeights weights) {
    return irs(factor_cells(Matrix(z.array() + shift), factors), {0}, {0}, {1},
               {.weights = weights});
  };
  constexpr auto kOwn = InterventionWeights::kSelfNormalised;
  constexpr auto kLiteral = InterventionWeights::kLiteral;
  CHECK(of(0, kOwn).value.value() == doctest::Approx(of(10, kOwn).value.value()));
  CHECK(of(0, kLiteral).value.value() - of(10, kLiteral).value.value() > 0.1);
  CHECK(of(0, kOwn).coverage == doctest::Approx(2.0 / 3.0));
}

TEST_CASE("irs: a factor with one value holds nothing and disturbs nothing") {
  Matrix factors(4, 3);
  factors << grid(), Vector::Constant(4, 7.0);
  const FactorCells cells = factor_cells(codes(), factors);
  CHECK(irs(cells, {1}, {2}, {0, 1}).value.value() == doctest::Approx(0.0));
  CHECK(irs(cells, {1}, {0, 1}, {2}).value.value() == 1.0);
}

TEST_CASE("irs: bad input") {
  const FactorCells cells = factor_cells(codes(), grid().topRows(4));
  CHECK_THROWS_SAYING(irs(cells, {}, {0}, {1}), std::invalid_argument, "irs: latents is empty");
  CHECK_THROWS_SAYING(irs(cells, {0}, {0}, {}), std::invalid_argument, "nuisance is empty");
  CHECK_THROWS_SAYING(irs(cells, {5}, {0}, {1}), std::invalid_argument, "latents", "5");
  CHECK_THROWS_SAYING(irs(cells, {0}, {0}, {0, 1}), std::invalid_argument,
                      "factor 0 is in both kept and nuisance");
  CHECK_THROWS_SAYING(empida(cells, {0}, {2}, {1}), std::invalid_argument, "kept", "2");
  CHECK_THROWS_SAYING(domain_shift_robustness(cells, {0}, {}), std::invalid_argument,
                      "domain is empty");
}

}  // namespace

}  // namespace conoscope::tests
