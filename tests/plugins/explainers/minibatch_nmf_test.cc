// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/ice/minibatch_nmf.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "numerics/nnls.h"
#include "tests/support/normals.h"
#include "tests/support/throws.h"

using namespace conoscope::methods;
using namespace conoscope::numerics;

namespace {

Matrix positives(Index n, Index d, std::uint64_t seed) {
  return conoscope::testing::normals(n, d, seed).cwiseAbs();
}

}  // namespace

TEST_CASE("one step, by hand") {
  // W = 1 * 8 / 2 = 4; A = 0.7 * 1 + 1 * (24, 8), B = 0.7 + 16 * 1, H = A / B.
  const MiniBatchNmfResult<double> r =
      minibatch_nmf_from(Matrix{{6.0, 2.0}}, Matrix{{1.0}}, Matrix{{1.0, 1.0}}, {.max_iter = 1});
  CHECK(r.w(0, 0) == 4.0);
  CHECK(r.h.isApprox(Matrix{{24.7 / 16.7, 8.7 / 16.7}}, 1e-15));
  CHECK(r.steps == 1);
  CHECK_FALSE(r.converged);
  CHECK(r.error == doctest::Approx((Matrix{{6.0, 2.0}} - r.w * r.h).norm()).epsilon(1e-14));
}

TEST_CASE("two batches of one row, by hand") {
  // rho = 0.7^(1/2). First row: W = 2 / 1, A = rho + 4, B = rho + 4, H = 1. Second row: W = 3, H =
  // 1 again (K = D = 1 is solved at once): the past weighs, but agrees. With another second
  // feature:
  const double rho = std::sqrt(0.7);
  const Matrix x{{2.0, 0.0}, {0.0, 2.0}};
  const MiniBatchNmfResult<double> r = minibatch_nmf_from(
      x, Matrix{{1.0}, {1.0}}, Matrix{{1.0, 1.0}}, {.batch_size = 1, .max_iter = 1});
  // Row 1: W = 2 / 2 = 1; A = rho (1, 1) + (2, 0); B = rho (1, 1) + (1, 1).
  const double h0 = (rho + 2.0) / (rho + 1.0), h1 = rho / (rho + 1.0);
  // Row 2: W = 2 h1 / (h0^2 + h1^2).
  const double w = 2.0 * h1 / (h0 * h0 + h1 * h1);
  const double a0 = rho * (rho + 2.0), a1 = rho * rho + h1 * w * 2.0;
  const double b0 = rho * (rho + 1.0) + w * w * h0, b1 = rho * (rho + 1.0) + w * w * h1;
  CHECK(r.steps == 2);
  CHECK(r.w.isApprox(Matrix{{1.0}, {w}}, 1e-14));
  CHECK(r.h.isApprox(Matrix{{a0 / b0, a1 / b1}}, 1e-14));
}

TEST_CASE("stops by the move of H, by lack of improvement, or not at all") {
  const Matrix x = positives(90, 7, 1);
  MiniBatchNmfOptions o{.batch_size = 30, .tol = 0.0, .max_no_improvement = 0, .max_iter = 40};
  MiniBatchNmfResult<double> r = minibatch_nmf(x, 3, Seed(1), o);
  CHECK(r.steps == 120);
  CHECK_FALSE(r.converged);
  o.tol = 1e6;  // any move is small enough: the first step is not looked at, the second stops it
  r = minibatch_nmf(x, 3, Seed(1), o);
  CHECK(r.steps == 2);
  CHECK(r.converged);
  // An exact start cannot improve: from step 2 on, which sets the minimum, three more pass.
  const Matrix w = positives(90, 2, 2), h = positives(2, 7, 3);
  o.tol = 0.0;
  o.max_no_improvement = 3;
  r = minibatch_nmf_from(Matrix::Zero(90, 7), Matrix::Zero(90, 2), h, o);
  CHECK(r.steps == 5);
  CHECK(r.converged);
}

TEST_CASE("rebuilds the rows better the longer it runs") {
  // Forgetting 0.3 of the past in a pass, it takes about three passes for one whole-batch update.
  const Matrix x = positives(600, 4, 5) * positives(4, 12, 6);
  double before = x.norm();
  for (const int passes : {1, 10, 100, 1500}) {
    const MiniBatchNmfResult<double> r =
        minibatch_nmf(x, 4, Seed(1),
                      {.batch_size = 100, .tol = 0.0, .max_no_improvement = 0, .max_iter = passes});
    CHECK(r.error < before);
    CHECK(r.h.minCoeff() >= 0.0);
    CHECK(r.w.minCoeff() >= 0.0);
    before = r.error;
  }
  const NmfOptions whole{.solver = NmfSolver::kMultiplicativeUpdate, .max_iter = 400, .tol = 0.0};
  CHECK(before <= nmf(x, 4, Seed(1), whole).error);
}

TEST_CASE("float rows give what the same values give in double") {
  const MatrixF xf = positives(200, 9, 7).cast<float>();
  const Matrix x = xf.cast<double>(), w0 = positives(200, 3, 8), h0 = positives(3, 9, 9);
  const MiniBatchNmfOptions o{.batch_size = 64, .tol = 0.0, .max_no_improvement = 0, .max_iter = 5};
  const MiniBatchNmfResult<float> narrow =
      minibatch_nmf_from(xf, MatrixF(w0.cast<float>()), MatrixF(h0.cast<float>()), o);
  const MiniBatchNmfResult<double> wide = minibatch_nmf_from(x, w0, h0, o);
  CHECK(narrow.steps == wide.steps);
  CHECK(narrow.h.cast<double>().isApprox(wide.h, 1e-5));
  CHECK(narrow.error == doctest::Approx(wide.error).epsilon(1e-5));
  CHECK(minibatch_nmf(xf, 3, Seed(1), o)
            .h.cast<double>()
            .isApprox(minibatch_nmf(x, 3, Seed(1), o).h, 1e-4));
}

TEST_CASE("transform, by hand: one part is exact after one update") {
  // mean 4, K = 1: W starts at 2; 2 * 8 / (2 * 2) = 4, and stays.
  CHECK(minibatch_nmf_transform(Matrix{{6.0, 2.0}}, Matrix{{1.0, 1.0}}) == Matrix{{4.0}});
  // It tends to the exact weights.
  const Matrix x = positives(20, 6, 3), h = positives(2, 6, 4);
  const Matrix w = minibatch_nmf_transform(x, h, {.tol = 0.0, .max_iter = 20000});
  CHECK((w - nnls(x, h)).cwiseAbs().maxCoeff() <= 1e-3);
  // All zero: nothing to weigh.
  CHECK(minibatch_nmf_transform(Matrix::Zero(3, 6), h).isZero(0.0));
}

TEST_CASE("zero rows stay zero, and the parts finite") {
  const MiniBatchNmfResult<double> r = minibatch_nmf(Matrix::Zero(6, 4), 2, Seed(1));
  CHECK(r.w.isZero(0.0));
  CHECK(r.h.allFinite());
  CHECK(r.error == 0.0);
}

TEST_CASE("what is refused") {
  const Matrix x = positives(4, 3, 12), w0 = positives(4, 2, 1), h0 = positives(2, 3, 2);
  Matrix negative = x;
  negative(2, 1) = -0.5;
  CHECK_THROWS_SAYING(minibatch_nmf(negative, 2, Seed(1)), std::invalid_argument,
                      "negative entry -0.5, at row 2, column 1");
  CHECK_THROWS_AS(minibatch_nmf(MatrixF(negative.cast<float>()), 2, Seed(1)),
                  std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf(x, 0, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf(x, 4, Seed(1), {.init = NmfInit::kNndsvd}), std::invalid_argument);
  CHECK_THROWS_SAYING(minibatch_nmf(x, 2, Seed(1), {.batch_size = 0}), std::invalid_argument,
                      "batch_size = 0");
  CHECK_THROWS_SAYING(minibatch_nmf(x, 2, Seed(1), {.forget_factor = 0.0}), std::invalid_argument,
                      "forget_factor = 0 is outside (0, 1]");
  CHECK_THROWS_AS(minibatch_nmf(x, 2, Seed(1), {.forget_factor = 1.5}), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf(x, 2, Seed(1), {.tol = -1.0}), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf(x, 2, Seed(1), {.max_no_improvement = -1}), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf(x, 2, Seed(1), {.max_iter = 0}), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf_from(negative, w0, h0), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf_from(x, Matrix(-w0), h0), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf_from(x, w0, Matrix(-h0)), std::invalid_argument);
  CHECK_THROWS_SAYING(minibatch_nmf_from(x, w0.topRows(3), h0), std::invalid_argument,
                      "w0 has 3 rows, x has 4");
  CHECK_THROWS_SAYING(minibatch_nmf_from(x, w0, h0.leftCols(2)), std::invalid_argument,
                      "h0 has 2 columns, x has 3");
  CHECK_THROWS_SAYING(minibatch_nmf_from(x, w0, h0.topRows(1)), std::invalid_argument,
                      "w0 has 2 parts, h0 has 1");
  CHECK_THROWS_AS(minibatch_nmf_transform(negative, h0), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf_transform(x, Matrix(-h0)), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf_transform(x, h0.leftCols(2)), std::invalid_argument);
  CHECK_THROWS_AS(minibatch_nmf_transform(x, h0, {.max_iter = 0}), std::invalid_argument);
}
