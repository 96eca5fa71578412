// SPDX-License-Identifier: Apache-2.0
#include "numerics/nnls.h"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <limits>
#include <stdexcept>
#include <thread>

#include "numerics/random.h"
#include "tests/support/normals.h"

using namespace conoscope::numerics;
using conoscope::testing::normals;

namespace {

/// The least squared residual over all 2^K supports whose least-squares solution is >= 0.
double by_enumeration(const Eigen::RowVectorXd& x, const Matrix& h, double ridge) {
  const Index k = h.rows();
  double best = x.squaredNorm();
  for (unsigned mask = 1; mask < (1u << k); ++mask) {
    std::vector<Index> on;
    for (Index j = 0; j < k; ++j)
      if (mask >> j & 1u) on.push_back(j);
    const Eigen::MatrixXd used = h(on, Eigen::all).transpose();
    Eigen::MatrixXd stacked(used.rows() + used.cols(), used.cols());
    stacked << used, std::sqrt(ridge) * Eigen::MatrixXd::Identity(used.cols(), used.cols());
    Vector target = Vector::Zero(stacked.rows());
    target.head(x.size()) = x.transpose();
    const Vector w = stacked.completeOrthogonalDecomposition().solve(target);
    if (w.minCoeff() < 0.0) continue;
    best = std::min(best, (target - stacked * w).squaredNorm());
  }
  return best;
}

double objective(const Eigen::RowVectorXd& x, const Matrix& h, double ridge,
                 const Eigen::RowVectorXd& w) {
  return (x - w * h).squaredNorm() + ridge * w.squaredNorm();
}

void check_against_enumeration(const Matrix& x, const Matrix& h, double ridge) {
  const Matrix w = nnls(x, h, ridge);
  REQUIRE(w.rows() == x.rows());
  REQUIRE(w.cols() == h.rows());
  CHECK(w.minCoeff() >= 0.0);
  for (Index i = 0; i < x.rows(); ++i)
    CHECK(objective(x.row(i), h, ridge, w.row(i)) ==
          doctest::Approx(by_enumeration(x.row(i), h, ridge)).epsilon(1e-10));
}

}  // namespace

TEST_CASE("orthogonal parts, by hand: the positive part of each coordinate") {
  const Matrix h{{2.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  const Matrix x{{4.0, 3.0, 9.0}, {-4.0, 3.0, 9.0}, {-1.0, -1.0, 0.0}};
  CHECK(nnls(x, h) == Matrix{{2.0, 3.0}, {0.0, 3.0}, {0.0, 0.0}});
  // ridge 4: 4 w0 + 4 w0 = 8; 1 w1 + 4 w1 = 3
  CHECK(nnls(x.topRows(1), h, 4.0).isApprox(Matrix{{1.0, 0.6}}, 1e-15));
}

TEST_CASE("oblique parts, by hand: clipping the unconstrained solution would be wrong") {
  // x = 2 h0 - h1 exactly; with w1 = 0 the best w0 is <x, h0> / |h0|^2 = 1, not 2.
  const Matrix h{{1.0, 0.0}, {1.0, 1.0}};
  CHECK(nnls(Matrix{{1.0, -1.0}}, h) == Matrix{{1.0, 0.0}});
}

TEST_CASE("the best of all supports, tried one by one") {
  check_against_enumeration(normals(60, 9, 1), normals(6, 9, 2), 0.0);
  check_against_enumeration(normals(60, 9, 1).cwiseAbs(), normals(6, 9, 2).cwiseAbs(), 0.0);
  check_against_enumeration(normals(60, 9, 3).cwiseAbs(), normals(6, 9, 4).cwiseAbs(), 0.7);
}

TEST_CASE("parts that depend on one another: the same residual, no part of it lost") {
  Matrix h = normals(6, 8, 5).cwiseAbs();
  h.row(3) = h.row(0);                   // a copy
  h.row(4) = 0.5 * h.row(1) + h.row(2);  // a mix
  h.row(5).setZero();                    // nothing
  check_against_enumeration(normals(40, 8, 6).cwiseAbs(), h, 0.0);
  check_against_enumeration(normals(40, 8, 6), h, 0.0);
  CHECK(nnls(normals(5, 8, 7), h).col(5).isZero(0.0));
  // More parts than features.
  check_against_enumeration(normals(40, 3, 8), normals(7, 3, 9), 0.0);
}

TEST_CASE("nearly parallel parts: exact to rounding where the Gram matrix is not") {
  Matrix h(2, 3);
  h << 1.0, 0.0, 0.0, 1.0, 1e-7, 0.0;
  const Matrix x = Matrix{{2.0, 3.0}} * h;
  // The columns' angle of 1e-7 leaves 1e-16 / 1e-7 of each weight; the Gram matrix would leave
  // nothing.
  CHECK(nnls(x, h).isApprox(Matrix{{2.0, 3.0}}, 1e-8));
}

TEST_CASE("gradient: zero on the support, not negative off it") {
  const Matrix x = normals(500, 20, 10).cwiseAbs(), h = normals(12, 20, 11).cwiseAbs();
  const Matrix w = nnls(x, h);
  const Matrix gradient = (w * h - x) * h.transpose();
  const double scale = (x * h.transpose()).cwiseAbs().maxCoeff();
  for (Index i = 0; i < w.size(); ++i) {
    CHECK(gradient.data()[i] >= -1e-12 * scale);
    if (w.data()[i] > 0.0) CHECK(std::abs(gradient.data()[i]) <= 1e-12 * scale);
  }
}

TEST_CASE("a row's answer depends on its row alone; scaling x scales w") {
  const Matrix x = normals(50, 10, 12), h = normals(5, 10, 13).cwiseAbs();
  const Matrix w = nnls(x, h);
  for (Index i = 0; i < x.rows(); ++i) CHECK(nnls(x.row(i), h).isApprox(w.row(i), 1e-12));
  CHECK(nnls(Matrix(x * 8.0), h) == w * 8.0);
  CHECK(nnls(Matrix::Zero(2, 10), h).isZero(0.0));
}

TEST_CASE("equal rows have equal weights, however many there are") {
  const Matrix h = normals(3, 12, 7).cwiseAbs();
  const Matrix row = normals(1, 12, 8).cwiseAbs();
  for (const double ridge : {0.0, 0.1})
    for (Index n = 1; n <= 70; ++n) {
      const Matrix w = nnls(row.replicate(n, 1), h, ridge);
      CAPTURE(n);
      CHECK(w == Matrix(w.row(0).replicate(n, 1)));
    }
}

TEST_CASE("same bits in eight threads at once") {
  const Matrix x = normals(100, 10, 14), h = normals(5, 10, 15);
  const Matrix w = nnls(x, h);
  std::vector<Matrix> all(8);
  std::vector<std::thread> threads;
  for (auto& one : all) threads.emplace_back([&] { one = nnls(x, h); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : all) CHECK(one == w);
}

TEST_CASE("what is refused") {
  const Matrix x{{0.0, 1.0}}, h{{2.0, 3.0}};
  Matrix nan = x;
  nan(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(nnls(nan, h), std::invalid_argument);
  CHECK_THROWS_WITH_AS(nnls(x, nan),
                       "nnls: h is nan at row 0, column 0; every entry must be finite",
                       std::invalid_argument);
  CHECK_THROWS_AS(nnls(Matrix(0, 2), h), std::invalid_argument);
  CHECK_THROWS_AS(nnls(x, Matrix(0, 2)), std::invalid_argument);
  CHECK_THROWS_WITH_AS(nnls(x, Matrix{{1.0}}), "nnls: h has 1 columns, x has 2",
                       std::invalid_argument);
  CHECK_THROWS_AS(nnls(x, h, -1.0), std::invalid_argument);
  CHECK_THROWS_AS(nnls(x, h, std::numeric_limits<double>::infinity()), std::invalid_argument);
}
