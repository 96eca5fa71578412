// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/craft/sobol.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "numerics/random.h"
#include "tests/support/normals.h"
#include "tests/support/throws.h"

using namespace conoscope::methods;
using conoscope::testing::normals;
using namespace conoscope::numerics;

namespace {

Vector on_rows(const Matrix& masks, double (*f)(const Eigen::RowVectorXd&)) {
  Vector y(masks.rows());
  for (Index i = 0; i < masks.rows(); ++i) y[i] = f(masks.row(i));
  return y;
}

}  // namespace

TEST_CASE("halton: the first points by hand") {
  const Matrix expected{{0.0, 0.0, 0.0},
                        {1.0 / 2, 1.0 / 3, 1.0 / 5},
                        {1.0 / 4, 2.0 / 3, 2.0 / 5},
                        {3.0 / 4, 1.0 / 9, 3.0 / 5},
                        {1.0 / 8, 4.0 / 9, 4.0 / 5},
                        {5.0 / 8, 7.0 / 9, 1.0 / 25}};
  CHECK(halton(6, 3) == expected);
  // The 50th prime is 229: its first 229 points rise evenly.
  const Matrix wide = halton(230, 50);
  CHECK(wide(228, 49) == 228.0 / 229.0);
  CHECK(wide(229, 49) == 1.0 / (229.0 * 229.0));
}

TEST_CASE("a design: A, B, then A with one column of B at a time") {
  const SobolDesign design = halton_design(3, 2);
  CHECK(design.a == halton(3, 4).leftCols(2));
  CHECK(design.b == halton(3, 4).rightCols(2));
  const Matrix masks = design.masks();
  REQUIRE(masks.rows() == 12);
  CHECK(masks.topRows(3) == design.a);
  CHECK(masks.middleRows(3, 3) == design.b);
  CHECK(masks.block(6, 0, 3, 1) == design.b.col(0));
  CHECK(masks.block(6, 1, 3, 1) == design.a.col(1));
  CHECK(masks.block(9, 0, 3, 1) == design.a.col(0));
  CHECK(masks.block(9, 1, 3, 1) == design.b.col(1));
}

TEST_CASE("Jansen's estimate by hand") {
  // n = 2, K = 1: y_A = (0, 2), y_B is not looked at, y_C = (1, 2): 1 / (2 * 2 * 2) = 1/8.
  Vector y(6);
  y << 0.0, 2.0, 99.0, -99.0, 1.0, 2.0;
  CHECK(sobol_total(y, 1)[0] == doctest::Approx(0.125).epsilon(1e-15));
}

TEST_CASE("a function's total indices, as the design grows") {
  // y = x1 + 2 x2 + 4 x1 x2 on [0,1]^3; with x' = x - 1/2: 3 x1' + 4 x2' + 4 x1' x2'.
  const auto f = [](const Eigen::RowVectorXd& x) { return x[0] + 2.0 * x[1] + 4.0 * x[0] * x[1]; };
  const double v1 = 9.0 / 12, v2 = 16.0 / 12, v12 = 16.0 / 144, all = v1 + v2 + v12;
  const Vector total = sobol_total(on_rows(halton_design(4096, 3).masks(), f), 3);
  CHECK(total[0] == doctest::Approx((v1 + v12) / all).epsilon(0.02));
  CHECK(total[1] == doctest::Approx((v2 + v12) / all).epsilon(0.02));
  CHECK(total[2] == 0.0);
}

TEST_CASE("the closed form is the estimate for outputs linear in the mask") {
  for (const Index k : {1, 2, 5, 25}) {
    const SobolDesign design = halton_design(32, k);
    const Matrix z = normals(7, k, 3);
    const Matrix closed = sobol_total_linear(z, design);
    const Matrix sampled = sobol_total_sampled(7, design, [&z](Index i, const Matrix& masks) {
      return Vector((masks * z.row(i).transpose()).array() + 0.3);
    });
    CHECK((closed - sampled).cwiseAbs().maxCoeff() <= 1e-10 * closed.maxCoeff());
    // Neither the scale nor the sign of a sample's output matters.
    CHECK(sobol_total_linear(-1e3 * z, design).isApprox(closed, 1e-12));
  }
}

TEST_CASE("a constant output has no variance to share: 0 everywhere") {
  const SobolDesign design = halton_design(8, 3);
  CHECK(sobol_total(Vector::Constant(40, 5.0), 3).isZero(0.0));
  CHECK(sobol_total_linear(Matrix::Zero(2, 3), design).isZero(0.0));
  // Below the floor the indices fade instead of blowing up.
  CHECK(sobol_total_linear(Matrix::Constant(1, 3, 1e-9), design).maxCoeff() < 1e-5);
}

TEST_CASE("what a concept adds to a logit, by hand") {
  // Two samples of two positions, two concepts, three features.
  const Matrix scores{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}, {7.0, 8.0}};
  const Matrix bank{{1.0, 0.0, 1.0}, {0.0, 2.0, 0.0}};
  const Matrix weight{{1.0, 1.0, 1.0}, {1.0, 0.0, -2.0}};  // <B, w>: (2, 2), then (-1, 0)
  CHECK(concept_contributions(scores, bank, weight) == Matrix{{-1.0, 4.0}, {3.0, 12.0}});
}

TEST_CASE("what is refused") {
  CHECK_THROWS_SAYING(halton(0, 2), std::invalid_argument, "halton: points = 0");
  CHECK_THROWS_SAYING(halton(2, 0), std::invalid_argument, "halton: dimensions = 0");
  CHECK_THROWS_SAYING(halton_design(1, 2), std::invalid_argument, "points = 1");
  CHECK_THROWS_SAYING(halton_design(2, 0), std::invalid_argument, "factors = 0");
  CHECK_THROWS_SAYING(sobol_total(Vector::Ones(6), 0), std::invalid_argument, "factors = 0");
  CHECK_THROWS_SAYING(sobol_total(Vector::Ones(7), 1), std::invalid_argument,
                      "7 outputs are no multiple of K + 2 = 3");
  CHECK_THROWS_SAYING(sobol_total(Vector::Ones(3), 1), std::invalid_argument, "points = 1");
  Vector y = Vector::Ones(6);
  y[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(sobol_total(y, 1), std::invalid_argument, "output 3 is not finite");

  const SobolDesign design = halton_design(4, 2);
  const auto ones = [](Index, const Matrix& masks) -> Vector { return Vector::Ones(masks.rows()); };
  CHECK_THROWS_SAYING(sobol_total_sampled(0, design, ones), std::invalid_argument, "samples = 0");
  CHECK_THROWS_SAYING(
      sobol_total_sampled(1, design,
                          [](Index, const Matrix&) -> Vector { return Vector::Ones(3); }),
      std::invalid_argument, "3 outputs for 16 masks");
  CHECK_THROWS_SAYING(sobol_total_linear(Matrix(0, 2), design), std::invalid_argument, "empty");
  CHECK_THROWS_SAYING(sobol_total_linear(Matrix::Ones(1, 3), design), std::invalid_argument,
                      "3 columns", "2 factors");
  CHECK_THROWS_SAYING(sobol_total_linear(Matrix::Constant(1, 2, NAN), design),
                      std::invalid_argument, "nan");
  CHECK_THROWS_SAYING(sobol_total_linear(Matrix::Ones(1, 2), {design.a, design.b.topRows(3)}),
                      std::invalid_argument, "differ in shape");
  CHECK_THROWS_SAYING(
      sobol_total_linear(Matrix::Ones(1, 2), {design.a.topRows(1), design.b.topRows(1)}),
      std::invalid_argument, "points = 1");
  CHECK_THROWS_SAYING(
      concept_contributions(Matrix::Ones(3, 2), Matrix::Ones(2, 3), Matrix::Ones(2, 3)),
      std::invalid_argument, "do not fit");
  CHECK_THROWS_SAYING(
      concept_contributions(Matrix::Ones(4, 2), Matrix::Ones(2, 3), Matrix::Ones(2, 4)),
      std::invalid_argument, "do not fit");
}
