// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_ross.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "metrics/information/mi_noise.h"
#include "numerics/digamma.h"
#include "tests/support/normals.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

Matrix normals(Index n, Index d, std::uint64_t seed) {
  return testing::normals(n, d, Random(seed));
}

// The definition, pair by pair; labels that occur once are left out.
double plain(const Matrix& x, const IndexVector& labels, Index k) {
  std::map<Index, Index> size;
  for (const Index label : labels) ++size[label];
  const auto psi = digamma_table(x.rows());
  double sum = 0.0;
  Index kept = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    const Index mine = labels[static_cast<size_t>(i)];
    if (size[mine] < 2) continue;
    ++kept;
    std::vector<double> all, same;
    for (Index j = 0; j < x.rows(); ++j) {
      const Index other = labels[static_cast<size_t>(j)];
      if (size[other] < 2) continue;
      double squared = 0.0;
      for (Index c = 0; c < x.cols(); ++c) squared += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
      all.push_back(squared);
      if (other == mine && j != i) same.push_back(squared);
    }
    std::sort(same.begin(), same.end());
    const Index mine_k = std::min(k, size[mine] - 1);
    const double r = same[static_cast<size_t>(mine_k - 1)];
    const auto m =
        std::count_if(all.begin(), all.end(), [r](double v) { return r > 0.0 ? v < r : v == 0.0; });
    sum += psi[static_cast<size_t>(mine_k - 1)] - psi[static_cast<size_t>(size[mine] - 1)] -
           psi[static_cast<size_t>(m - 1)];
  }
  return psi[static_cast<size_t>(kept - 1)] + sum / static_cast<double>(kept);
}

IndexVector labels_of(Index n, Index classes) {
  IndexVector out;
  for (Index i = 0; i < n; ++i) out.push_back((i * 7 + i / 5) % classes);
  return out;
}

TEST_CASE("mi_ross: by hand") {
  // Two labels of two, far apart; k becomes 1. Radii 1; m = 1 (itself): psi(4) + psi(1) - psi(2)
  // - psi(1) = 1/2 + 1/3.
  const Matrix x = (Matrix(4, 1) << 0, 1, 10, 11).finished();
  CHECK(mi_ross(x, IndexVector{0, 0, 1, 1}).raw == doctest::Approx(0.5 + 1.0 / 3.0));
  CHECK(std::abs(mi_ross(x, IndexVector{4, 4, 4, 4}).raw) < 1e-14);
}

TEST_CASE("mi_ross: the definition, with ties, singletons, small classes and an offset") {
  for (const Index d : {1, 2, 16, 19})
    for (const Index classes : {2, 7, 60}) {
      CAPTURE(d);
      CAPTURE(classes);
      IndexVector labels = labels_of(150, classes);
      labels[3] = 1000;
      labels[77] = -5;
      Matrix x = normals(150, d, 3);
      for (Index i = 0; i < 150; ++i)
        x(i, 0) += 0.7 * static_cast<double>(labels[static_cast<size_t>(i)] % 3);
      CHECK(mi_ross(x, labels).raw == doctest::Approx(plain(x, labels, 3)));
      x = (x.array() * 2.0).round() * 0.25 + 1e9;
      CHECK(mi_ross(x, labels).raw == doctest::Approx(plain(x, labels, 3)));
    }
}

TEST_CASE("mi_ross: separated classes of 16 dimensions tell the whole label") {
  const IndexVector labels = labels_of(300, 2);
  Matrix x = normals(300, 16, 5);
  for (Index i = 0; i < 300; ++i)
    x.row(i).array() += 30.0 * static_cast<double>(labels[static_cast<size_t>(i)]);
  // Within each class the k-th neighbour is left out: m = k, and only the class sizes remain.
  const auto psi = digamma_table(300);
  const auto ones = std::count(labels.begin(), labels.end(), 1);
  const auto share = static_cast<double>(ones) / 300.0;
  CHECK(mi_ross(x, labels).value ==
        doctest::Approx(psi[299] - share * psi[static_cast<size_t>(ones - 1)] -
                        (1.0 - share) * psi[static_cast<size_t>(299 - ones)]));
}

TEST_CASE("mi_ross: constants are worth nothing, and are counted as ties") {
  const MiEstimate found = mi_ross(Matrix::Constant(60, 1, 0.5), labels_of(60, 3));
  CHECK(found.value == 0.0);
  CHECK(found.tied == 60);
}

TEST_CASE("mi_ross: what it refuses") {
  const Matrix x = normals(5, 1, 1);
  CHECK_THROWS_SAYING(mi_ross(x, IndexVector{0, 1, 2, 3, 4}), std::domain_error,
                      "each of the 5 labels occurs once");
  CHECK_THROWS_SAYING(mi_ross(x, IndexVector{0, 1}), std::invalid_argument, "labels 2");
  CHECK_THROWS_SAYING(mi_ross(x, IndexVector{0, 0, 0, 1, 1}, {.neighbours = 0}),
                      std::invalid_argument, "neighbours is 0");
  CHECK_THROWS_SAYING(mi_ross(Matrix(5, 0), IndexVector{0, 0, 0, 1, 1}), std::invalid_argument,
                      "x is 5 x 0");
  Matrix bad = normals(5, 2, 1);
  bad(2, 0) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_SAYING(mi_ross(bad, IndexVector{0, 0, 0, 1, 1}), std::invalid_argument,
                      "x is inf at row 2");
}

}  // namespace

}  // namespace conoscope::tests
