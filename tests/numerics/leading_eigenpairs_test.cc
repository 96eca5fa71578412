// SPDX-License-Identifier: Apache-2.0
#include "numerics/leading_eigenpairs.h"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <limits>
#include <thread>
#include <vector>

#include "numerics/random.h"

using namespace conoscope::numerics;

namespace {

Eigen::MatrixXd normals(Index n, Index d, std::uint64_t seed) {
  Random random{Seed(seed)};
  Eigen::MatrixXd x(n, d);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.normal();
  return x;
}

/// N x N with these eigenvalues in front and 1, 1/2, 1/3, ... behind, in no simple basis.
Eigen::MatrixXd with_eigenvalues(const Vector& leading, Index n) {
  Vector values = Vector::LinSpaced(n, 1.0, static_cast<double>(n)).cwiseInverse();
  values.head(leading.size()) = leading;
  const Eigen::MatrixXd x = normals(n, n, 5);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> basis(x + x.transpose());
  return basis.eigenvectors() * values.asDiagonal() * basis.eigenvectors().transpose();
}

void check_pairs(const Eigen::MatrixXd& a, const Eigenpairs& found, double tolerance) {
  const Index k = found.values.size();
  const Eigen::MatrixXd rest = a * found.vectors - found.vectors * found.values.asDiagonal();
  CHECK(rest.colwise().norm().maxCoeff() <= tolerance * found.values[0]);
  CHECK((found.vectors.transpose() * found.vectors).isIdentity(1e-13));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> full(a, Eigen::EigenvaluesOnly);
  const Vector values = full.eigenvalues().reverse().head(k);
  CHECK((values - found.values).cwiseAbs().maxCoeff() <= tolerance * values[0]);
}

}  // namespace

TEST_CASE("leading eigenpairs are those of the full decomposition, wide gaps and narrow ones") {
  const Vector wide{{9.0, 7.0, 4.0, 2.0, 1.5}};
  const Eigen::MatrixXd noise = normals(300, 260, 7);  // eigenvalues crowd below the largest
  for (const Eigen::MatrixXd& a : {with_eigenvalues(wide, 200), with_eigenvalues(wide, 20),
                                   Eigen::MatrixXd(noise.transpose() * noise)})
    for (const Index k : {1, 3, 5}) {
      const auto found = leading_eigenpairs(a, k);
      REQUIRE(found);
      check_pairs(a, *found, 1e-13);
    }
}

TEST_CASE("an eigenvalue that one start cannot see twice is not missed") {
  const Eigen::MatrixXd a = with_eigenvalues(Vector{{5.0, 5.0, 5.0, 3.0}}, 160);
  const auto found = leading_eigenpairs(a, 4);
  REQUIRE(found);
  CHECK(found->values.isApprox(Vector{{5.0, 5.0, 5.0, 3.0}}, 1e-13));
  check_pairs(a, *found, 1e-13);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(150, 150);
  CHECK(leading_eigenpairs(identity, 3)->values.isApprox(Vector::Ones(3), 1e-14));
}

TEST_CASE("a rank below k: the rest are zeros, the vectors orthonormal") {
  const Eigen::MatrixXd x = normals(180, 2, 3);
  const Eigen::MatrixXd a = x * x.transpose();
  const auto found = leading_eigenpairs(a, 6);
  REQUIRE(found);
  check_pairs(a, *found, 1e-13);
  const auto zero = leading_eigenpairs(Eigen::MatrixXd::Zero(140, 140), 2);
  REQUIRE(zero);
  CHECK(zero->values.isZero(0.0));
}

TEST_CASE("only the lower triangle is read; a looser tolerance still misses none") {
  const Eigen::MatrixXd a = with_eigenvalues(Vector{{8.0, 6.0, 6.0 - 1e-4, 4.0}}, 250);
  Eigen::MatrixXd lower = a;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(
      std::numeric_limits<double>::quiet_NaN());
  const auto found = leading_eigenpairs(lower, 3, 1e-8);
  REQUIRE(found);
  check_pairs(a, *found, 1e-7);
}

TEST_CASE("entries that are not finite have no eigenvalues") {
  Eigen::MatrixXd a = with_eigenvalues(Vector{{2.0}}, 130);
  a(100, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK(!leading_eigenpairs(a, 2));
  a(100, 3) = std::numeric_limits<double>::infinity();
  CHECK(!leading_eigenpairs(a, 2));
}

TEST_CASE("leading eigenpairs: same bits again, and in eight threads at once") {
  const Eigen::MatrixXd x = normals(400, 200, 9), a = x.transpose() * x;
  const auto found = leading_eigenpairs(a, 4);
  REQUIRE(found);
  std::vector<std::optional<Eigenpairs>> all(8);
  std::vector<std::thread> threads;
  for (auto& one : all) threads.emplace_back([&] { one = leading_eigenpairs(a, 4); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : all) {
    CHECK(one->values == found->values);
    CHECK(one->vectors == found->vectors);
  }
}
