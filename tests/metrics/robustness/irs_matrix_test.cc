// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/irs_matrix.h"

#include <doctest/doctest.h>

#include <limits>

#include "metrics/robustness/crossed_grid.h"
#include "numerics/random.h"
#include "tests/support/moved_heap.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

Matrix grid(const IndexVector& extents) {
  Index n = 1;
  for (const Index extent : extents) n *= extent;
  Matrix out(n, static_cast<Index>(extents.size()));
  for (Index i = 0; i < n; ++i) {
    Index rest = i;
    for (std::size_t k = extents.size(); k-- > 0;) {
      out(i, static_cast<Index>(k)) = static_cast<double>(rest % extents[k]);
      rest /= extents[k];
    }
  }
  return out;
}

Matrix noise(Index rows, Index cols) {
  Random random(5);
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.uniform(-1.0, 1.0);
  return out;
}

TEST_CASE("irs_matrix: one code per factor is perfect, its entries are those of irs") {
  const Matrix factors = grid({3, 4});
  const Matrix perfect = -2.0 * factors;
  const IrsMatrix result = irs_matrix(perfect, factors);
  CHECK(result.score == 1.0);
  CHECK(result.parent == IndexVector{0, 1});
  CHECK(result.active == 2);

  const Matrix mixed = noise(12, 2);
  const IrsMatrix of_mixed = irs_matrix(mixed, factors);
  const FactorCells cells = factor_cells(mixed, factors);
  for (Index l = 0; l < 2; ++l)
    for (Index i = 0; i < 2; ++i)
      CHECK(of_mixed.irs(l, i) ==
            doctest::Approx(irs(cells, {l}, {i}, {1 - i}).value.value()).epsilon(1e-12));
  CHECK(of_mixed.score < 0.9);
}

TEST_CASE("irs_matrix: the score weighs latents by how far they move") {
  const Matrix factors = grid({2, 2});
  Matrix z(4, 3);  // factor 0 at scale 10; both mixed at scale 1; constant
  z << 0, 0, 0.1, 0, 1, 0.1, 10, 1, 0.1, 10, 2, 0.1;
  const IrsMatrix result = irs_matrix(z, factors);
  CHECK(result.normaliser == (Vector(3) << 5, 1, 0).finished());
  CHECK(result.disentanglement.head(2) == (Vector(2) << 1, 0.5).finished());
  CHECK(result.score == doctest::Approx((5 * 1.0 + 1 * 0.5) / 6.0));
  CHECK_FALSE(result.defined(2));
  CHECK(result.parent[2] == -1);
  CHECK(irs_matrix(Matrix::Constant(4, 2, 0.1), factors).score == 0.0);
}

TEST_CASE("irs_matrix: one pass over a grid and the cells agree, in any order of rows") {
  for (const IndexVector& extents :
       {IndexVector{3, 4, 5}, IndexVector{1, 4, 1, 6, 1}, IndexVector{7, 1, 2}}) {
    const Matrix factors = grid(extents);
    const Matrix z = noise(factors.rows(), 5);
    REQUIRE(detail::crossed_grid(factors) == extents);
    const IrsMatrix fast = irs_matrix(z, factors);
    const IrsMatrix slow = irs_matrix(factor_cells(z, factors));
    const Matrix turned = factors.colwise().reverse(), turned_z = z.colwise().reverse();
    CHECK((fast.empida - slow.empida).cwiseAbs().maxCoeff() < 1e-14);
    CHECK((fast.normaliser - slow.normaliser).cwiseAbs().maxCoeff() < 1e-14);
    CHECK((irs_matrix(turned_z, turned).irs - slow.irs).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("crossed_grid: only what is one") {
  Matrix factors = grid({3, 2, 4});
  CHECK(detail::crossed_grid(Matrix(100.0 - 7.0 * factors.array())).has_value());
  Matrix other = factors;
  other(17, 2) = 0.0;
  CHECK_FALSE(detail::crossed_grid(other).has_value());
  other = factors;
  other.row(3).swap(other.row(11));
  CHECK_FALSE(detail::crossed_grid(other).has_value());
  CHECK_FALSE(detail::crossed_grid(factors.topRows(23)).has_value());
  CHECK_FALSE(detail::crossed_grid(factors.rowwise().reverse()).has_value());
  Matrix twice(48, 3);
  twice << factors, factors;
  CHECK_FALSE(detail::crossed_grid(twice).has_value());
  other = factors;
  other(5, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(detail::crossed_grid(other).has_value());
  CHECK(detail::crossed_grid(Matrix::Ones(1, 2)) == IndexVector{1, 1});
  CHECK_FALSE(detail::crossed_grid(Matrix::Ones(2, 2)).has_value());
}

TEST_CASE("irs_quantile: by hand") {
  const Matrix factors = (Matrix(6, 1) << 0, 0, 0, 0, 0, 1).finished();
  const Matrix z = (Matrix(6, 1) << 0, 0, 0, 0, 5, 7).finished();
  // group 0: mean 1, deviations 1 1 1 1 4; group 1: a single sample, 0; overall mean 2, farthest 5
  CHECK(irs_quantile(z, factors, {1.0, 0}).empida(0, 0) == doctest::Approx(2.0));
  CHECK(irs_quantile(z, factors, {0.9, 0}).empida(0, 0) == doctest::Approx((1 + 0.6 * 3) / 2));
  CHECK(irs_quantile(z, factors, {0.5, 0}).empida(0, 0) == doctest::Approx(0.5));
  CHECK(irs_quantile(z, factors, {1.0, 0}).score == doctest::Approx(1.0 - 2.0 / 5.0));
  CHECK(irs_quantile(z, factors, {1.0, 1}).score == doctest::Approx(0.0));  // one bin holds nothing
}

TEST_CASE("irs_quantile: with one sample per cell and the maximum it is the paper's") {
  const Matrix factors = grid({3, 4, 2});
  const Matrix z = noise(24, 3);
  CHECK(
      (irs_quantile(z, factors, {1.0, 0}).irs - irs_matrix(z, factors).irs).cwiseAbs().maxCoeff() <
      1e-13);
}

TEST_CASE("irs_quantile: the same bits wherever its numbers lie in memory") {
  const Matrix codes = noise(997, 12).array() + 10.0;
  Matrix factors(997, 2);
  for (Index i = 0; i < 997; ++i)
    factors.row(i) << static_cast<double>(i % 3), static_cast<double>(i % 2);
  const auto found = testing::with_moved_heap([&] {
    return irs_quantile(codes, factors, {0.9, 0}).empida;
  });
  for (const Matrix& one : found) CHECK(one == found[0]);
}

TEST_CASE("irs_matrix and irs_quantile: bad input") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const Matrix factors = grid({2, 2}), z = noise(4, 2);
  CHECK_THROWS_SAYING(irs_matrix(z, factors.leftCols(1)), std::invalid_argument,
                      "factors has 1 columns");
  CHECK_THROWS_SAYING(irs_matrix(factor_cells(z, factors.leftCols(1))), std::invalid_argument,
                      "factors has 1 columns");
  CHECK_THROWS_SAYING(irs_matrix(z.topRows(3), factors), std::invalid_argument, "codes is 3 x 2");
  Matrix bad = z;
  bad(2, 1) = kNaN;
  CHECK_THROWS_SAYING(irs_matrix(bad, factors), std::invalid_argument, "codes is nan at row 2");
  bad(2, 1) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_SAYING(irs_matrix(bad, factors), std::invalid_argument, "codes is inf");
  CHECK_THROWS_SAYING(irs_quantile(z, factors, {1.5, 0}), std::invalid_argument, "quantile is 1.5");
  CHECK_THROWS_SAYING(irs_quantile(z, factors, {0.5, -1}), std::invalid_argument, "bins is -1");
  CHECK_THROWS_SAYING(irs_quantile(z.topRows(2), factors), std::invalid_argument, "2 rows");
}

}  // namespace

}  // namespace conoscope::tests
