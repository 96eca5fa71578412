// SPDX-License-Identifier: Apache-2.0
#include "metrics/alignment/concept_alignment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "numerics/random.h"
#include "tests/support/throws.h"

using namespace conoscope::metrics;
using namespace conoscope::numerics;

namespace {

double sum_of(const Matrix& purity, const IndexVector& alignment) {
  return aligned_rows(purity, alignment).diagonal().sum();
}

/// The best of all ways, tried one after the other.
double best_sum(const Matrix& purity) {
  IndexVector rows(static_cast<size_t>(purity.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  double best = -std::numeric_limits<double>::infinity();
  do {
    best = std::max(best, sum_of(purity, {rows.begin(), rows.begin() + purity.cols()}));
  } while (std::next_permutation(rows.begin(), rows.end()));
  return best;
}

}  // namespace

TEST_CASE("greedy takes the largest first, optimal the largest sum") {
  Matrix purity(2, 2);
  purity << 0.90, 0.89,  //
      0.85, 0.20;
  CHECK(greedy_alignment(purity) == IndexVector{0, 1});
  CHECK(optimal_alignment(purity) == IndexVector{1, 0});
  Matrix aligned(2, 2);
  aligned << 0.85, 0.20,  //
      0.90, 0.89;
  CHECK(aligned_rows(purity, {1, 0}) == aligned);
}

TEST_CASE("ties go in row-major order") {
  CHECK(greedy_alignment(Matrix::Constant(3, 2, 0.5)) == IndexVector{0, 1});
  Matrix purity(3, 2);
  purity << 0.5, 0.7,  //
      0.7, 0.7,        //
      0.7, 0.6;
  CHECK(greedy_alignment(purity) == IndexVector{1, 0});
}

TEST_CASE("optimal_alignment against all ways there are") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    const Index cols = 1 + static_cast<Index>(random.below(4));
    const Index rows = cols + static_cast<Index>(random.below(3));
    Matrix purity(rows, cols);
    // Coarse values, so that ties come up; a shift, so that weights are negative.
    for (double& x : purity.reshaped())
      x = static_cast<double>(random.below(9)) / 8 - (round % 2 ? 5.0 : 0.0);
    const IndexVector alignment = optimal_alignment(purity);
    IndexVector sorted = alignment;
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    REQUIRE(sorted.front() >= 0);
    REQUIRE(sum_of(purity, alignment) == doctest::Approx(best_sum(purity)));
    REQUIRE(sum_of(purity, greedy_alignment(purity)) <= sum_of(purity, alignment) + 1e-12);
  }
}

TEST_CASE("a large one: a hidden permutation is found") {
  Random random(3);
  IndexVector hidden(60);
  std::iota(hidden.begin(), hidden.end(), Index{0});
  random.shuffle(hidden);
  hidden.resize(40);
  Matrix purity(60, 40);
  for (double& x : purity.reshaped()) x = random.uniform(0.4, 0.6);
  for (Index j = 0; j < 40; ++j) purity(hidden[static_cast<size_t>(j)], j) = 0.9;
  CHECK(optimal_alignment(purity) == hidden);
  CHECK(greedy_alignment(purity) == hidden);
}

TEST_CASE("alignments: what is refused") {
  for (const auto align : {greedy_alignment, optimal_alignment}) {
    CHECK_THROWS_SAYING(align(Matrix::Ones(2, 3)), std::invalid_argument, "purity is 2 x 3");
    CHECK_THROWS_SAYING(align(Matrix(2, 0)), std::invalid_argument, "purity is 2 x 0");
    Matrix broken = Matrix::Ones(2, 2);
    broken(1, 0) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_SAYING(align(broken), std::invalid_argument, "purity is nan at row 1");
  }
}
