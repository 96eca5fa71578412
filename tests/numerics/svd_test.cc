// SPDX-License-Identifier: Apache-2.0
#include "numerics/svd.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "numerics/random.h"
#include "tests/support/normals.h"

using namespace conoscope::numerics;
using conoscope::testing::normals;

namespace {

/// Columns stretched apart, so that every gap is wide.
Matrix stretched(Index n, Index d, std::uint64_t seed) {
  Matrix x = normals(n, d, seed);
  for (Index j = 0; j < d; ++j) x.col(j) *= std::pow(2.0, -static_cast<double>(j));
  return x;
}

constexpr SvdMethod kBoth[] = {SvdMethod::kExact, SvdMethod::kGram};

}  // namespace

TEST_CASE("a diagonal matrix, by hand: descending, and the largest entry positive") {
  const Matrix x{{0.0, 3.0, 0.0}, {-4.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
  for (const SvdMethod method : kBoth) {
    const TruncatedSvd r = truncated_svd(x, 2, false, method);
    CHECK(r.singular_values[0] == doctest::Approx(4.0).epsilon(1e-14));
    CHECK(r.singular_values[1] == doctest::Approx(3.0).epsilon(1e-14));
    CHECK(r.components.isApprox(Matrix{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, 1e-14));
    CHECK(r.mean.size() == 0);
    CHECK(r.explained_variance.size() == 0);
  }
}

TEST_CASE("PCA of three points on a line, by hand") {
  const Matrix x{{1.0, 1.0}, {2.0, 2.0}, {3.0, 3.0}};
  for (const SvdMethod method : kBoth) {
    const TruncatedSvd r = truncated_svd(x, 2, true, method);
    CHECK(r.mean == Vector{{2.0, 2.0}});
    CHECK(r.explained_variance[0] == doctest::Approx(2.0).epsilon(1e-14));  // 4 / (3 - 1)
    CHECK(r.explained_variance[1] == doctest::Approx(0.0).scale(1.0).epsilon(1e-14));
    CHECK(r.components(0, 0) == doctest::Approx(std::sqrt(0.5)).epsilon(1e-14));
    CHECK(r.components(0, 1) == doctest::Approx(std::sqrt(0.5)).epsilon(1e-14));
  }
}

TEST_CASE("the Gram matrix of either side gives what the exact method gives") {
  for (const auto& [n, d] : {std::pair<Index, Index>{50, 8}, {8, 50}, {9, 9}}) {
    for (const bool centre : {false, true}) {
      const Matrix x = stretched(n, d, 3);
      const TruncatedSvd a = truncated_svd(x, 5, centre, SvdMethod::kExact);
      const TruncatedSvd b = truncated_svd(x, 5, centre, SvdMethod::kGram);
      CHECK(a.singular_values.isApprox(b.singular_values, 1e-10));
      CHECK(a.components.isApprox(b.components, 1e-9));
      CHECK((b.components * b.components.transpose()).isIdentity(1e-9));
      // The directions do hold that much of the rows.
      Matrix rows = x;
      if (centre) rows.rowwise() -= rows.colwise().mean().eval();
      const Matrix scores = rows * a.components.transpose();
      CHECK(scores.colwise().norm().transpose().isApprox(a.singular_values, 1e-12));
    }
  }
}

TEST_CASE("float rows give what the same values give in double") {
  const MatrixF xf = stretched(40, 6, 9).cast<float>();
  const Matrix xd = xf.cast<double>();
  for (const SvdMethod method : kBoth)
    CHECK(truncated_svd(xf, 4, true, method).components ==
          truncated_svd(xd, 4, true, method).components);
}

TEST_CASE("Ritz vectors of a float Gram matrix are those of the Gram matrix in double") {
  // Twelve clear directions over a floor, as activations have them.
  Matrix x = 0.05 * normals(3000, 64, 21);
  for (Index j = 0; j < 12; ++j) x.col(5 * j) *= 200.0 / static_cast<double>(1 + j);
  for (const bool centre : {false, true}) {
    const MatrixF xf = x.cast<float>();
    const TruncatedSvd a = truncated_svd(xf, 12, centre, SvdMethod::kGram);
    const TruncatedSvd b = truncated_svd(xf, 12, centre, SvdMethod::kRitz);
    CHECK(a.singular_values.isApprox(b.singular_values, 1e-11));
    CHECK(a.components.isApprox(b.components, 1e-5));
    CHECK((b.components * b.components.transpose()).isIdentity(1e-12));
  }
}

TEST_CASE("where a float Gram matrix cannot tell the directions, the one in double is taken") {
  // A singular value of a ten-thousandth; squares that no float holds, small and large.
  const Matrix x = stretched(3000, 24, 22);
  for (const double scale : {1.0, 1e-30, 1e25}) {
    CAPTURE(scale);
    const MatrixF xf = (scale * x).cast<float>();
    CHECK(truncated_svd(xf, 13, false, SvdMethod::kRitz).components ==
          truncated_svd(xf, 13, false, SvdMethod::kGram).components);
    CHECK(truncated_svd(xf, 2, false, SvdMethod::kRitz)
              .singular_values.isApprox(
                  truncated_svd(xf, 2, false, SvdMethod::kGram).singular_values, 1e-9));
  }
}

TEST_CASE("a far-away cloud keeps its shape when centred") {
  const Matrix x = stretched(60, 5, 4);
  Matrix far = x;
  far.array() += 1e6;
  for (const SvdMethod method : kBoth)
    CHECK(truncated_svd(far, 3, true, method)
              .explained_variance.isApprox(truncated_svd(x, 3, true, method).explained_variance,
                                           1e-8));
}

TEST_CASE("beyond the rank: zero singular values, components still orthonormal") {
  const Matrix x = normals(6, 2, 1) * normals(2, 9, 2);
  for (const SvdMethod method : kBoth)
    for (const Matrix& m : {x, Matrix(x.transpose())}) {
      const TruncatedSvd r = truncated_svd(m, 5, false, method);
      CHECK(r.singular_values.tail(3).maxCoeff() <= 1e-7 * r.singular_values[0]);
      CHECK((r.components * r.components.transpose()).isIdentity(1e-9));
    }
  const TruncatedSvd zero = truncated_svd(Matrix::Zero(3, 4), 3, false, SvdMethod::kGram);
  CHECK(zero.singular_values.isZero(0.0));
  CHECK((zero.components * zero.components.transpose()).isIdentity(1e-12));
}

TEST_CASE("rows permuted: the same; scaled: singular values scale, components stay") {
  const Matrix x = stretched(30, 6, 12);
  for (const SvdMethod method : kBoth) {
    const TruncatedSvd r = truncated_svd(x, 4, false, method);
    const TruncatedSvd reversed = truncated_svd(x.colwise().reverse(), 4, false, method);
    CHECK(reversed.components.isApprox(r.components, 1e-10));
    const TruncatedSvd scaled = truncated_svd(Matrix(x * -3.0), 4, false, method);
    CHECK(scaled.singular_values.isApprox(r.singular_values * 3.0, 1e-12));
    CHECK(scaled.components.isApprox(r.components, 1e-10));
  }
}

TEST_CASE("the automatic choice is the exact one on small matrices, the Gram matrix on large") {
  const Matrix small = stretched(30, 6, 12), large = stretched(70000, 32, 13);
  CHECK(truncated_svd(small, 3).components ==
        truncated_svd(small, 3, false, SvdMethod::kExact).components);
  CHECK(truncated_svd(large, 3).singular_values ==
        truncated_svd(large, 3, false, SvdMethod::kGram).singular_values);
}

TEST_CASE("same bits again, and in eight threads at once") {
  const Matrix x = normals(200, 30, 6);
  for (const SvdMethod method : kBoth) {
    const TruncatedSvd r = truncated_svd(x, 5, true, method);
    std::vector<TruncatedSvd> all(8);
    std::vector<std::thread> threads;
    for (auto& one : all) threads.emplace_back([&] { one = truncated_svd(x, 5, true, method); });
    for (auto& thread : threads) thread.join();
    for (const auto& one : all) {
      CHECK(one.components == r.components);
      CHECK(one.singular_values == r.singular_values);
    }
  }
}

TEST_CASE("lpca_dimension, by hand") {
  const Vector v{{10.0, 5.0, 0.5, 0.4}};
  CHECK(lpca_dimension(v, DimensionRule::kFukunagaOlsen, 0.05) == 2);  // 0.5 is not > 0.5
  CHECK(lpca_dimension(v, DimensionRule::kFukunagaOlsen, 0.04) == 3);  // 0.4 is not > 0.4
  CHECK(lpca_dimension(v, DimensionRule::kFukunagaOlsen, 0.03) == 4);
  CHECK(lpca_dimension(Vector{{4.0, 2.0, 1.0, 1.0}}, DimensionRule::kRatio, 0.5) == 1);
  CHECK(lpca_dimension(Vector{{4.0, 2.0, 1.0, 1.0}}, DimensionRule::kRatio, 0.75) == 2);
  CHECK(lpca_dimension(Vector{{4.0, 2.0, 1.0, 1.0}}, DimensionRule::kRatio, 0.8) == 3);
  CHECK(lpca_dimension(Vector{{4.0, 2.0, 1.0, 1.0}}, DimensionRule::kRatio, 0.99) == 4);
  CHECK(lpca_dimension(Vector{{3.0}}, DimensionRule::kRatio, 0.99) == 1);
  CHECK(lpca_dimension(v * 1e-20, DimensionRule::kFukunagaOlsen, 0.03) == 4);
}

TEST_CASE("what is refused") {
  const Matrix x{{0.0, 1.0}, {2.0, 3.0}};
  Matrix infinite = x;
  infinite(0, 1) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(truncated_svd(infinite, 1),
                       "truncated_svd: x is inf at row 0, column 1; every entry must be finite",
                       std::invalid_argument);
  CHECK_THROWS_AS(truncated_svd(Matrix(0, 3), 1), std::invalid_argument);
  CHECK_THROWS_AS(truncated_svd(x, 0), std::invalid_argument);
  CHECK_THROWS_WITH_AS(truncated_svd(x, 3), "truncated_svd: k = 3 exceeds the smaller side of x, 2",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(truncated_svd(x, 1, false, SvdMethod::kRitz),
                       "truncated_svd: kRitz is for float rows", std::invalid_argument);
  const MatrixF narrow = x.cast<float>();
  CHECK_THROWS_WITH_AS(truncated_svd(narrow, 1, false, SvdMethod::kRitz),
                       "truncated_svd: kRitz needs k + 10 <= D <= N", std::invalid_argument);
  CHECK_THROWS_WITH_AS(truncated_svd(x.topRows(1), 1, true),
                       "truncated_svd: one row has no variance", std::invalid_argument);

  const auto fo = DimensionRule::kFukunagaOlsen;
  CHECK_THROWS_AS(lpca_dimension(Vector(0), fo, 0.05), std::invalid_argument);
  CHECK_THROWS_AS(lpca_dimension(Vector{{1.0, -1.0}}, fo, 0.05), std::invalid_argument);
  CHECK_THROWS_AS(lpca_dimension(Vector{{std::nan("")}}, fo, 0.05), std::invalid_argument);
  CHECK_THROWS_WITH_AS(lpca_dimension(Vector{{1.0, 2.0}}, fo, 0.05),
                       "lpca_dimension: eigenvalue 1 is larger than the one before it",
                       std::invalid_argument);
  CHECK_THROWS_AS(lpca_dimension(Vector{{1.0}}, fo, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(lpca_dimension(Vector{{1.0}}, fo, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(lpca_dimension(Vector{{0.0, 0.0}}, fo, 0.05), std::domain_error);
  CHECK_THROWS_AS(lpca_dimension(Vector{{0.0}}, DimensionRule::kRatio, 0.8), std::domain_error);
}
