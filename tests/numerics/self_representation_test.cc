// SPDX-License-Identifier: Apache-2.0
#include "numerics/self_representation.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <thread>

#include "numerics/random.h"

using namespace conoscope::numerics;

namespace {

Matrix unit_normals(Index n, Index d, std::uint64_t seed, bool rectified = false) {
  Random random{Seed(seed)};
  Matrix x(n, d);
  for (Index i = 0; i < x.size(); ++i) {
    x.data()[i] = random.normal();
    if (rectified) x.data()[i] = std::max(0.0, x.data()[i] + 0.5);
  }
  x.rowwise().normalize();
  return x;
}

/// The largest breach of the conditions in the header over all rows and all others, / m_i.
double breach_of(const Matrix& x, const Matrix& c, double gamma) {
  const Matrix products = x * x.transpose(), left = (x - c * x) * x.transpose();
  double worst = 0.0;
  for (Index i = 0; i < x.rows(); ++i) {
    double m = 0.0;
    for (Index j = 0; j < x.rows(); ++j)
      if (j != i) m = std::max(m, std::abs(products(i, j)));
    if (m == 0.0) continue;
    for (Index j = 0; j < x.rows(); ++j) {
      if (j == i) continue;
      const double sign = c(i, j) > 0.0 ? 1.0 : -1.0;
      worst = std::max(worst, (c(i, j) == 0.0 ? std::abs(left(i, j)) - m / gamma
                                              : std::abs(left(i, j) - m / gamma * sign)) /
                                  m);
    }
  }
  return worst;
}

/// The same minimum by plain cyclic coordinate descent.
Eigen::RowVectorXd by_coordinate_descent(const Matrix& x, Index i, double alpha) {
  Eigen::RowVectorXd c = Eigen::RowVectorXd::Zero(x.rows()), r = x.row(i);
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0.0;
    for (Index j = 0; j < x.rows(); ++j) {
      if (j == i) continue;
      const double own = x.row(j).squaredNorm();
      const double product = r.dot(x.row(j)) + c[j] * own;
      const double next = std::copysign(std::max(0.0, std::abs(product) - alpha) / own, product);
      r -= (next - c[j]) * x.row(j);
      moved = std::max(moved, std::abs(next - c[j]));
      c[j] = next;
    }
    if (moved < 1e-14) break;
  }
  return c;
}

}  // namespace

TEST_CASE("self_representation: two rows, by hand") {
  Matrix x(2, 2);
  x << 1, 0, 0.6, 0.8;
  const SelfRepresentation r = sparse_self_representation(x, {.gamma = 10.0});
  // m = 0.6, a = 0.06; c = (0.6 - 0.06) / 1; residual (1, 0) - 0.54 (0.6, 0.8) = (0.676, -0.432)
  CHECK(r.alpha[0] == doctest::Approx(0.06).epsilon(1e-14));
  CHECK(r.coefficients.coeff(0, 1) == doctest::Approx(0.54).epsilon(1e-14));
  CHECK(r.coefficients.coeff(0, 0) == 0.0);
  CHECK(r.l1[0] == doctest::Approx(0.54).epsilon(1e-14));
  CHECK(r.objective[0] ==
        doctest::Approx(0.5 * (0.676 * 0.676 + 0.432 * 0.432) + 0.06 * 0.54).epsilon(1e-14));
}

TEST_CASE("self_representation: every row meets the conditions over all others") {
  for (const double gamma : {2.0, 10.0, 50.0, 1000.0}) {
    for (const bool rectified : {false, true}) {
      const Matrix x = unit_normals(300, 40, 3, rectified);
      const SelfRepresentation r = sparse_self_representation(x, {.gamma = gamma});
      CHECK(breach_of(x, r.coefficients, gamma) <= 1e-10);
      CHECK(r.breach <= 1e-10);
      CHECK(Matrix(r.coefficients).diagonal().isZero(0.0));
    }
  }
}

TEST_CASE("self_representation: the minimum of plain coordinate descent") {
  const Matrix x = unit_normals(150, 20, 5, true);
  const SelfRepresentation r = sparse_self_representation(x, {.gamma = 20.0});
  for (const Index i : {0, 17, 149}) {
    const Eigen::RowVectorXd c = by_coordinate_descent(x, i, r.alpha[i]);
    const double objective = 0.5 * (x.row(i) - c * x).squaredNorm() + r.alpha[i] * c.lpNorm<1>();
    CHECK(r.objective[i] == doctest::Approx(objective).epsilon(1e-12));
    CHECK(Eigen::RowVectorXd(r.coefficients.row(i)).isApprox(c, 1e-6));
  }
}

TEST_CASE("self_representation: duplicates and rows of a plane") {
  Matrix x = unit_normals(60, 12, 7);
  x.bottomRows(30) = x.topRows(30);
  CHECK(breach_of(x, sparse_self_representation(x).coefficients, 50.0) <= 1e-10);

  // 200 rows in 3 dimensions: any support of more than 3 is dependent.
  const Matrix plane = unit_normals(200, 3, 8) * unit_normals(3, 30, 9);
  const SelfRepresentation r = sparse_self_representation(plane, {.gamma = 1000.0});
  CHECK(breach_of(plane, r.coefficients, 1000.0) <= 1e-10);
  for (Index i = 0; i < 200; ++i) CHECK(r.coefficients.row(i).nonZeros() <= 3);

  const Matrix same = Matrix::Ones(150, 4) / 2.0;
  CHECK(breach_of(same, sparse_self_representation(same).coefficients, 50.0) <= 1e-10);
}

TEST_CASE("self_representation: rows that nothing resembles stay alone") {
  Matrix x = Matrix::Identity(4, 6);
  x.row(3).setZero();
  const SelfRepresentation r = sparse_self_representation(x);
  CHECK(r.coefficients.nonZeros() == 0);
  CHECK(r.alpha.isZero(0.0));
  CHECK(r.objective[0] == 0.5);
  CHECK(r.objective[3] == 0.0);
  CHECK(sparse_self_representation(Matrix::Ones(1, 3)).coefficients.nonZeros() == 0);
}

TEST_CASE("self_representation: scaling all rows leaves the coefficients, order follows the rows") {
  const Matrix x = unit_normals(80, 10, 11);
  const Matrix c = sparse_self_representation(x).coefficients;
  for (const double scale : {1e-30, 1e30})
    CHECK(Matrix(sparse_self_representation(scale * x).coefficients).isApprox(c, 1e-8));
  const Matrix reversed = x.colwise().reverse();
  const Matrix turned = sparse_self_representation(reversed).coefficients;
  CHECK(Matrix(turned.colwise().reverse().rowwise().reverse()).isApprox(c, 1e-8));
}

TEST_CASE("self_representation: products that float cannot tell apart are taken in double") {
  // Rows differ by less than float's last digit; the nearest one is known in double only.
  Matrix x = Matrix::Ones(400, 8) / std::sqrt(8.0);
  Random random{Seed(13)};
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) x(i, j) += 1e-9 * random.normal();
  const SelfRepresentation r = sparse_self_representation(x, {.gamma = 10.0, .tolerance = 1e-12});
  CHECK(breach_of(x, r.coefficients, 10.0) <= 2e-12);
}

TEST_CASE("self_representation: the same bits from 1 and 8 threads") {
  const Matrix x = unit_normals(120, 16, 15, true);
  const SelfRepresentation alone = sparse_self_representation(x);
  std::vector<SelfRepresentation> results(8);
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&] { result = sparse_self_representation(x); });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results)
    CHECK(Matrix(result.coefficients).cwiseEqual(Matrix(alone.coefficients)).all());
}

TEST_CASE("self_representation: progress may stop it") {
  int calls = 0;
  SelfRepresentationOptions options;
  options.progress = [&](double done) {
    CHECK(done >= 0.0);
    if (++calls == 2) throw std::runtime_error("stopped");
  };
  CHECK_THROWS_WITH_AS(sparse_self_representation(unit_normals(600, 4, 1), options), "stopped",
                       std::runtime_error);
}

TEST_CASE("self_representation: what it refuses") {
  const Matrix x = unit_normals(5, 3, 1);
  CHECK_THROWS_AS(sparse_self_representation(Matrix(0, 3)), std::invalid_argument);
  Matrix bad = x;
  bad(2, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(sparse_self_representation(bad), std::invalid_argument);
  for (const double gamma : {1.0, -5.0, std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(sparse_self_representation(x, {.gamma = gamma}), std::invalid_argument);
  for (const double tolerance : {0.0, 1.0})
    CHECK_THROWS_AS(sparse_self_representation(x, {.tolerance = tolerance}), std::invalid_argument);
}

TEST_CASE("self_representation: a tolerance below rounding is not reached, and that is said") {
  CHECK_THROWS_AS(sparse_self_representation(unit_normals(80, 40, 2, true), {.tolerance = 1e-25}),
                  std::domain_error);
}

TEST_CASE("rows_within_quantile: interpolates between order statistics") {
  Vector l1(5);
  l1 << 5, 1, 4, 2, 3;
  CHECK(rows_within_quantile(l1, 0.75) == std::vector<Index>{1, 2, 3, 4});  // limit 4
  CHECK(rows_within_quantile(l1, 0.6) == std::vector<Index>{1, 3, 4});      // limit 3.4
  CHECK(rows_within_quantile(l1, 1.0).size() == 5);
  CHECK(rows_within_quantile(Vector::Ones(3), 0.5).size() == 3);  // equals are kept
  CHECK_THROWS_AS(rows_within_quantile(Vector(), 0.5), std::invalid_argument);
  for (const double quantile : {0.0, 1.5})
    CHECK_THROWS_AS(rows_within_quantile(l1, quantile), std::invalid_argument);
  l1[0] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(rows_within_quantile(l1, 0.5), std::invalid_argument);
}
