// SPDX-License-Identifier: Apache-2.0
#include "numerics/kmeans.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>

#include "numerics/kmeans_seeding.h"
#include "numerics/random.h"
#include "tests/support/normals.h"

using namespace conoscope::numerics;
using conoscope::testing::normals;

namespace {

/// Lloyd's assignment as its definition reads, nothing clever.
Index nearest(const Matrix& centres, const Eigen::RowVectorXd& row) {
  Index best = 0;
  for (Index k = 1; k < centres.rows(); ++k)
    if ((row - centres.row(k)).squaredNorm() < (row - centres.row(best)).squaredNorm()) best = k;
  return best;
}

}  // namespace

TEST_CASE("two pairs on a line, by hand") {
  const Matrix x{{0.0}, {1.0}, {9.0}, {11.0}};
  const KMeansResult r = kmeans_from(x, Matrix{{0.0}, {1.0}});
  // {0} {1 9 11} -> 0, 7 -> {0 1} {9 11} -> 0.5, 10 -> the labels repeat.
  CHECK(r.centres(0, 0) == 0.5);
  CHECK(r.centres(1, 0) == 10.0);
  CHECK(r.labels == std::vector<Index>{0, 0, 1, 1});
  CHECK(r.inertia == 2.5);
  CHECK(r.iterations == 3);
}

TEST_CASE("max_iter 1: one update, then labels of the centres returned") {
  const Matrix x{{0.0}, {1.0}, {9.0}, {11.0}};
  const KMeansResult r = kmeans_from(x, Matrix{{0.0}, {1.0}}, {.max_iter = 1});
  CHECK(r.centres(1, 0) == 7.0);
  CHECK(r.labels == std::vector<Index>{0, 0, 1, 1});
  CHECK(r.inertia == 0.0 + 1.0 + 4.0 + 16.0);
  CHECK(r.iterations == 1);
}

TEST_CASE("a loose tolerance stops at the first small move") {
  const Matrix x{{0.0}, {1.0}, {9.0}, {11.0}};
  CHECK(kmeans_from(x, Matrix{{0.0}, {1.0}}, {.tol = 1e3}).iterations == 1);
}

TEST_CASE("a tie goes to the lowest centre, wherever the row lies in its block") {
  // 3000 rows halfway between the two centres; one more, that only the second centre can have.
  Matrix x = normals(3001, 7, 5);
  x.col(0).setConstant(3.0);
  x.row(3000).setZero();
  x(3000, 0) = 4.0;
  Matrix centres = Matrix::Zero(2, 7);
  centres(0, 0) = 2.0;
  centres(1, 0) = 4.0;
  const Eigen::RowVectorXd mean = x.topRows(3000).colwise().mean();
  const KMeansResult r = kmeans_from(x, centres, {.max_iter = 1});
  CHECK(r.centres.row(0).isApprox(mean, 1e-12));
  CHECK(r.centres.row(1) == x.row(3000));
  const MatrixF xf = x.cast<float>();
  CHECK(kmeans_from(xf, centres, {.max_iter = 1}).centres.row(1) == x.row(3000));
}

TEST_CASE("labels equal the plain definition, for double, float and a far-away cloud") {
  for (const double offset : {0.0, 1e6}) {
    Matrix x = normals(2000, 33, 7);
    x.array() += offset;
    const MatrixF xf = x.cast<float>();
    const Matrix xd = xf.cast<double>();
    const KMeansResult d = kmeans_from(xd, xd.topRows(6), {.max_iter = 4, .tol = 0.0});
    const KMeansResult f = kmeans_from(xf, xd.topRows(6), {.max_iter = 4, .tol = 0.0});
    CHECK(d.labels == f.labels);
    CHECK(d.centres == f.centres);
    CHECK(d.inertia == f.inertia);
    double inertia = 0.0;
    for (Index i = 0; i < xd.rows(); ++i) {
      const Index label = nearest(d.centres, xd.row(i));
      REQUIRE(d.labels[static_cast<std::size_t>(i)] == label);
      inertia += (xd.row(i) - d.centres.row(label)).squaredNorm();
    }
    CHECK(d.inertia == doctest::Approx(inertia).epsilon(1e-12));
  }
}

TEST_CASE("measuring only rows that can change: every iteration's centres are plain Lloyd's") {
  // Overlapping clouds, so that labels keep changing for many iterations.
  Matrix x = normals(1500, 4, 31);
  for (Index i = 0; i < x.rows(); ++i) x.row(i).array() += 0.7 * static_cast<double>(i % 7);
  Matrix centres = x.topRows(9);
  for (int iterations = 1; iterations <= 30; ++iterations) {
    Matrix sums = Matrix::Zero(9, 4);
    Vector count = Vector::Zero(9);
    for (Index i = 0; i < x.rows(); ++i) {
      const Index label = nearest(centres, x.row(i));
      sums.row(label) += x.row(i);
      count[label] += 1.0;
    }
    for (Index k = 0; k < 9; ++k) centres.row(k) = sums.row(k) / count[k];
    const KMeansResult r = kmeans_from(x, x.topRows(9), {.max_iter = iterations, .tol = 0.0});
    REQUIRE(r.iterations == iterations);
    REQUIRE(r.centres == centres);
    for (Index i = 0; i < x.rows(); ++i)
      REQUIRE(r.labels[static_cast<std::size_t>(i)] == nearest(centres, x.row(i)));
  }
}

TEST_CASE("values whose products leave float's range are still assigned") {
  for (const float scale : {1e25f, 1e-30f}) {
    const MatrixF x = MatrixF{{0.0f, 1.0f}, {0.0f, 2.0f}, {9.0f, 1.0f}, {9.0f, 2.0f}} * scale;
    const Matrix init = x.cast<double>()({0, 3}, Eigen::all);
    CHECK(kmeans_from(x, init).labels == std::vector<Index>{0, 0, 1, 1});
  }
}

TEST_CASE("an empty cluster takes the row farthest from its centre") {
  const Matrix x{{0, 0}, {0, 1}, {1, 0}, {10, 10}, {10, 11}, {30, 30}};
  const KMeansResult r = kmeans_from(x, Matrix{{0, 0}, {10, 10}, {-50, -50}}, {.tol = 0.0});
  CHECK(r.labels == std::vector<Index>{0, 0, 0, 1, 1, 2});
  CHECK(r.centres.row(2) == Eigen::RowVector2d(30, 30));
  CHECK(r.inertia == doctest::Approx(4.0 / 3.0 + 0.5).epsilon(1e-14));
}

TEST_CASE("fewer distinct rows than centres: the spare ones stay, without rows") {
  const Matrix x{{1.0}, {1.0}, {4.0}};
  const KMeansResult r = kmeans_from(x, Matrix{{1.0}, {4.0}, {100.0}});
  CHECK(r.centres(2, 0) == 100.0);
  CHECK(r.labels == std::vector<Index>{0, 0, 1});
  CHECK(r.inertia == 0.0);
  CHECK(kmeans(x, 3, Seed(1)).inertia == 0.0);
}

TEST_CASE("k-means++ draws distinct rows while there are any") {
  Matrix x(6, 2);
  x << 0, 0, 0, 0, 5, 5, 5, 5, 9, 1, 9, 1;
  for (std::uint64_t s = 0; s < 50; ++s) {
    const Matrix c = kmeans_plus_plus(x, 3, {Seed(s)}).front();
    CHECK(c.row(0) != c.row(1));
    CHECK(c.row(0) != c.row(2));
    CHECK(c.row(1) != c.row(2));
  }
  CHECK(kmeans_plus_plus(x, 5, {Seed(1)}).front().rows() == 5);
}

TEST_CASE("restarts find four separated clusters, and more restarts are never worse") {
  Matrix x = normals(400, 3, 11) * 0.1;
  for (Index i = 0; i < 400; ++i)
    x(i, i % 3) += i % 4 == 3 ? -8.0 : 8.0 * static_cast<double>(i % 4);
  double before = std::numeric_limits<double>::infinity();
  for (const int starts : {1, 3, 10}) {
    const KMeansResult r = kmeans(x, 4, Seed(2), {.n_init = starts});
    CHECK(r.inertia <= before);
    before = r.inertia;
  }
}

TEST_CASE("rows permuted: the same centres; rows and centres scaled: centres scale") {
  const Matrix x = normals(300, 5, 3);
  const Matrix init = x.topRows(4);
  const KMeansResult r = kmeans_from(x, init);
  const KMeansResult reversed = kmeans_from(x.colwise().reverse(), init);
  CHECK(reversed.centres.isApprox(r.centres, 1e-12));
  for (std::size_t i = 0; i < 300; ++i) CHECK(reversed.labels[i] == r.labels[299 - i]);
  // A power of two is exact: the same bits, scaled.
  const KMeansResult scaled = kmeans_from(Matrix(x * 4.0), Matrix(init * 4.0));
  CHECK(scaled.centres == r.centres * 4.0);
  CHECK(scaled.labels == r.labels);
  CHECK(scaled.inertia == r.inertia * 16.0);
}

TEST_CASE("same seed, same bits: again, and in eight threads at once") {
  const Matrix x = normals(500, 9, 21);
  const KMeansResult r = kmeans(x, 5, Seed(77));
  CHECK(kmeans(x, 5, Seed(77)).centres == r.centres);
  CHECK(kmeans_plus_plus(x, 5, {Seed(77)}).front() != kmeans_plus_plus(x, 5, {Seed(78)}).front());
  std::vector<KMeansResult> all(8);
  std::vector<std::thread> threads;
  for (auto& one : all) threads.emplace_back([&] { one = kmeans(x, 5, Seed(77)); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : all) {
    CHECK(one.centres == r.centres);
    CHECK(one.labels == r.labels);
    CHECK(one.inertia == r.inertia);
  }
}

TEST_CASE("a view with gaps between its rows gives what its copy gives") {
  const Matrix wide = normals(100, 12, 8);
  const auto view = wide.leftCols(5);
  CHECK(kmeans(view, 3, Seed(1)).centres == kmeans(Matrix(view), 3, Seed(1)).centres);
}

TEST_CASE("what is refused") {
  const Matrix x{{0.0, 1.0}, {2.0, 3.0}};
  Matrix nan = x;
  nan(1, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(kmeans(nan, 1, Seed(1)),
                       "kmeans: x is nan at row 1, column 0; every entry must be finite",
                       std::invalid_argument);
  CHECK_THROWS_AS(kmeans_plus_plus(nan, 1, {Seed(1)}), std::invalid_argument);
  CHECK_THROWS_AS(kmeans(Matrix(0, 2), 1, Seed(1)), std::invalid_argument);
  CHECK_THROWS_WITH_AS(kmeans(x, 3, Seed(1)), "kmeans: k = 3 exceeds the number of rows, 2",
                       std::invalid_argument);
  CHECK_THROWS_AS(kmeans_plus_plus(x, 3, {Seed(1)}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(kmeans(x, 0, Seed(1)), "kmeans: k = 0 must be at least 1",
                       std::invalid_argument);
  CHECK_THROWS_AS(kmeans(x, 1, Seed(1), {.n_init = 0}), std::invalid_argument);
  CHECK_THROWS_AS(kmeans(x, 1, Seed(1), {.max_iter = 0}), std::invalid_argument);
  CHECK_THROWS_AS(kmeans(x, 1, Seed(1), {.tol = -1.0}), std::invalid_argument);
  CHECK_THROWS_AS(kmeans_from(x, nan), std::invalid_argument);
  CHECK_THROWS_AS(kmeans_from(x, Matrix(0, 2)), std::invalid_argument);
  CHECK_THROWS_AS(kmeans_from(x, Matrix::Zero(3, 2)), std::invalid_argument);
  CHECK_THROWS_WITH_AS(kmeans_from(x, Matrix{{1.0}}), "kmeans: init has 1 columns, x has 2",
                       std::invalid_argument);
}

TEST_CASE(
    "rows that have left a cluster leave no rounding behind: centres are the members' means") {
  Matrix x = normals(600, 3, 11);
  x = (8.0 * x.array()).exp();  // from 1e-10 to 1e10
  for (Index k = 2; k < 8; ++k) {
    const KMeansResult r = kmeans_from(x, x.topRows(k), {.tol = 0.0});
    REQUIRE(r.iterations < 300);
    Matrix sums = Matrix::Zero(k, 3);
    Vector count = Vector::Zero(k);
    for (Index i = 0; i < x.rows(); ++i) {
      sums.row(r.labels[static_cast<std::size_t>(i)]) += x.row(i);
      count[r.labels[static_cast<std::size_t>(i)]] += 1.0;
    }
    for (Index c = 0; c < k; ++c) CHECK(r.centres.row(c) == sums.row(c) / count[c]);
  }
}

TEST_CASE("kmeans starts from seedings of all rows, or of 16,384 where there are more") {
  const Matrix few = normals(400, 3, 13);
  const Seed seed(5);
  std::vector<Seed> seeds;
  for (std::uint64_t r = 0; r < 3; ++r) seeds.push_back(seed.child("start").child(r));
  CHECK((kmeans_starts(few, 4, seed, 3) == kmeans_plus_plus(few, 4, seeds)));

  // Five clusters, far from each other: every start has a seed in each.
  Matrix many = normals(20'000, 3, 14);
  for (Index i = 0; i < many.rows(); ++i)
    many.row(i).array() += 1000.0 * static_cast<double>(i % 5);
  const std::vector<Matrix> starts = kmeans_starts(many, 5, seed, 3);
  CHECK((kmeans_starts(many, 5, seed, 1).front() == starts.front()));
  CHECK((kmeans_starts(many, 5, Seed(6), 1).front() != starts.front()));
  CHECK(starts != kmeans_plus_plus(many, 5, seeds));
  for (const Matrix& start : starts) {
    std::set<Index> clusters;
    for (Index c = 0; c < 5; ++c) {
      Index nearest = 0;
      CHECK((many.rowwise() - start.row(c)).rowwise().squaredNorm().minCoeff(&nearest) == 0.0);
      clusters.insert(nearest % 5);
    }
    CHECK(clusters.size() == 5);
  }
  // Each row is as likely as any other to be among those that are looked at.
  const Matrix line = Vector::LinSpaced(40'000, 0.0, 1.0);
  double sum = 0.0;
  for (std::uint64_t s = 0; s < 400; ++s) sum += kmeans_starts(line, 1, Seed(s), 1).front()(0, 0);
  CHECK(std::abs(sum / 400.0 - 0.5) < 5.0 * std::sqrt(1.0 / 12.0 / 400.0));
}

TEST_CASE("seedings together are those of each seed alone; a row out of reach is out of reach") {
  const Matrix x = normals(500, 5, 12).array() + 3.0;
  const std::vector<Seed> seeds{Seed(1), Seed(2), Seed(3)};
  const std::vector<Matrix> together = kmeans_plus_plus(x, 30, seeds);
  const MatrixF floats = x.cast<float>();
  REQUIRE(together.size() == 3);
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    CHECK(together[s] == kmeans_plus_plus(x, 30, {seeds[s]}).front());
    CHECK(kmeans_plus_plus(floats, 30, seeds)[s] ==
          kmeans_plus_plus(floats, 30, {seeds[s]}).front());
    // The definition: of the rows drawn the one of the least sum, every row measured.
    Random random{seeds[s]};
    Index row = static_cast<Index>(random.below(500));
    Vector nearest = (x.rowwise() - x.row(row)).rowwise().squaredNorm();
    CHECK(together[s].row(0) == x.row(row));
    for (Index k = 1; k < 30; ++k) {
      Vector best;
      for (const double share : {random.uniform(), random.uniform(), random.uniform(),
                                 random.uniform(), random.uniform()}) {
        double cumulated = 0.0;
        Index drawn = -1;
        while (cumulated <= share * nearest.sum()) cumulated += nearest[++drawn];
        const Vector now = nearest.cwiseMin((x.rowwise() - x.row(drawn)).rowwise().squaredNorm());
        if (best.size() == 0 || now.sum() < best.sum()) {
          best = now;
          row = drawn;
        }
      }
      nearest = best;
      CHECK(together[s].row(k) == x.row(row));
    }
  }
}
