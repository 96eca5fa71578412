// SPDX-License-Identifier: Apache-2.0
#include "numerics/spectral.h"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/throws.h"

using namespace conoscope::numerics;

namespace {

SparseMatrix sparse(const Matrix& dense) { return dense.sparseView(); }

/// Blocks of `size` rows, all tied to some of their block; `across` ties to any row at all.
SparseMatrix blocks(Index count, Index size, int across, std::uint64_t seed) {
  Random random{Seed(seed)};
  const Index n = count * size;
  Matrix a = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    const auto tie = [&](std::uint64_t j, double weight) {
      if (static_cast<Index>(j) == i) return;
      a(i, static_cast<Index>(j)) += weight;
      a(static_cast<Index>(j), i) += weight;
    };
    const auto first = static_cast<std::uint64_t>(i / size * size);
    for (int t = 0; t < 8; ++t)
      tie(first + random.below(static_cast<std::uint64_t>(size)), random.uniform(0.5, 1.0));
    for (int t = 0; t < across; ++t)
      tie(random.below(static_cast<std::uint64_t>(n)), random.uniform(0.0, 0.2));
  }
  return sparse(a);
}

Matrix projector(const Matrix& vectors) { return vectors * vectors.transpose(); }

}  // namespace

TEST_CASE("affinity_of: by hand") {
  Matrix c(3, 3);
  c << 0, 3, -4, 2, 0, 0, 0, 0, 0;
  Matrix expected(3, 3);
  expected << 0, 0.8, 0.4, 0.8, 0, 0, 0.4, 0, 0;
  CHECK(Matrix(affinity_of(sparse(c))).isApprox(expected, 1e-15));
}

TEST_CASE("spectral_embedding: two ties, by hand") {
  Matrix a = Matrix::Zero(5, 5);  // 0-1, 2-3, 4 alone
  a(0, 1) = a(1, 0) = 2.0;
  a(2, 3) = a(3, 2) = 0.5;
  const SpectralEmbedding e = spectral_embedding(sparse(a), 3, Seed(1));
  CHECK(e.eigenvalues[0] == doctest::Approx(1.0));
  CHECK(e.eigenvalues[1] == doctest::Approx(1.0));
  CHECK(e.eigenvalues[2] == doctest::Approx(0.0));
  Matrix expected = Matrix::Zero(5, 5);
  expected.topLeftCorner(2, 2).setConstant(0.5);
  expected.block(2, 2, 2, 2).setConstant(0.5);
  CHECK(projector(e.vectors.leftCols(2)).isApprox(expected, 1e-12));
}

TEST_CASE("spectral_embedding: subspace iteration against a dense solver") {
  for (const int across : {0, 2}) {  // 0: the eigenvalue 1 six times
    const SparseMatrix a = blocks(6, 120, across, 3);
    const SpectralEmbedding e = spectral_embedding(a, 6, Seed(1));
    REQUIRE(e.converged);
    CHECK(e.residual <= 1e-8);
    const Vector scale = (a * Vector::Ones(720)).cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd m = scale.asDiagonal() * Eigen::MatrixXd(a) * scale.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m);
    CHECK(e.eigenvalues.isApprox(solver.eigenvalues().reverse().head(6), 1e-12));
    const Matrix vectors = solver.eigenvectors().rightCols(6);
    CHECK(projector(e.vectors).isApprox(projector(vectors), 1e-6));
    CHECK((e.vectors.transpose() * e.vectors).isIdentity(1e-12));
  }
}

TEST_CASE("spectral_clustering: finds the blocks, whatever the rows' order") {
  for (const Index size : {20, 120}) {  // dense, iterated
    const auto labels = spectral_clustering(blocks(6, size, 1, 5), 6, Seed(2));
    std::set<Index> names;
    for (Index block = 0; block < 6; ++block) {
      const Index name = labels[static_cast<size_t>(block * size)];
      names.insert(name);
      for (Index i = 0; i < size; ++i) CHECK(labels[static_cast<size_t>(block * size + i)] == name);
    }
    CHECK(names.size() == 6);
  }
}

TEST_CASE("spectral_clustering: vectors that did not converge are no vectors") {
  // A chain of 3,000 rows: its leading eigenvalues lie within 1e-6 of each other.
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i + 1 < 3000; ++i) {
    entries.emplace_back(i, i + 1, 1.0);
    entries.emplace_back(i + 1, i, 1.0);
  }
  SparseMatrix chain(3000, 3000);
  chain.setFromTriplets(entries.begin(), entries.end());
  CHECK_FALSE(spectral_embedding(chain, 3, Seed(1), 2).converged);
  CHECK_THROWS_SAYING(spectral_clustering(chain, 3, Seed(1), 2), std::domain_error,
                      "did not converge", "1e-08 allowed");
}

TEST_CASE("spectral_embedding: more leading eigenvalues alike than vectors are followed") {
  // Forty chains without a tie between them: forty eigenvalues of 1, for five vectors.
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i + 1 < 1200; ++i)
    if (i % 30 != 29) {
      entries.emplace_back(i, i + 1, 1.0);
      entries.emplace_back(i + 1, i, 1.0);
    }
  SparseMatrix chains(1200, 1200);
  chains.setFromTriplets(entries.begin(), entries.end());
  const SpectralEmbedding e = spectral_embedding(chains, 5, Seed(1));
  CHECK(e.converged);
  CHECK(e.eigenvalues.isApproxToConstant(1.0, 1e-12));
}

TEST_CASE("spectral_clustering: rows without any tie get a label too") {
  Matrix a = Matrix::Zero(4, 4);
  a(0, 1) = a(1, 0) = 1.0;
  const auto labels = spectral_clustering(sparse(a), 2, Seed(1));
  CHECK(labels[0] == labels[1]);
  for (const Index label : labels) CHECK((label == 0 || label == 1));
}

TEST_CASE("spectral_embedding: what it refuses") {
  Matrix a = Matrix::Zero(3, 3);
  a(0, 1) = a(1, 0) = 1.0;
  CHECK_THROWS_AS(spectral_embedding(sparse(a), 0, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(spectral_embedding(sparse(a), 4, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(spectral_embedding(sparse(Matrix::Ones(2, 3)), 1, Seed(1)),
                  std::invalid_argument);
  CHECK_THROWS_AS(affinity_of(sparse(Matrix::Ones(2, 3))), std::invalid_argument);
  CHECK_THROWS_AS(affinity_of(SparseMatrix()), std::invalid_argument);
  a(0, 1) = 0.5;
  CHECK_THROWS_AS(spectral_embedding(sparse(a), 1, Seed(1)), std::invalid_argument);
  a(0, 1) = a(1, 0) = -1.0;
  CHECK_THROWS_AS(spectral_embedding(sparse(a), 1, Seed(1)), std::invalid_argument);
  a(0, 1) = a(1, 0) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(spectral_embedding(sparse(a), 1, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(affinity_of(sparse(a)), std::invalid_argument);
}
