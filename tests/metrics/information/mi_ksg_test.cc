// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_ksg.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/information/mi_noise.h"
#include "numerics/digamma.h"
#include "tests/support/normals.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Matrix normals(Index n, Index d, std::uint64_t seed) {
  return testing::normals(n, d, Random(seed));
}

// The definition, pair by pair.
double plain(const Matrix& x, const Matrix& y, Index k) {
  const Index n = x.rows();
  const auto psi = digamma_table(n);
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    std::vector<double> dx, dy, joint;
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      dx.push_back((x.row(i) - x.row(j)).cwiseAbs().maxCoeff());
      dy.push_back((y.row(i) - y.row(j)).cwiseAbs().maxCoeff());
      joint.push_back(std::max(dx.back(), dy.back()));
    }
    std::sort(joint.begin(), joint.end());
    const double r = joint[static_cast<size_t>(k - 1)];
    for (const auto* side : {&dx, &dy})
      sum += psi[static_cast<size_t>(std::count_if(
          side->begin(), side->end(), [r](double v) { return r > 0.0 ? v < r : v == 0.0; }))];
  }
  return psi.back() + psi[static_cast<size_t>(k - 1)] - sum / static_cast<double>(n);
}

TEST_CASE("mi_ksg: by hand") {
  // k = 1, x = y = 0, 1, 3: radii 1, 1, 2; nobody lies strictly nearer, so every count is 0.
  const Matrix x = (Matrix(3, 1) << 0, 1, 3).finished();
  CHECK(mi_ksg(x, x, {.neighbours = 1}).raw == doctest::Approx(1.5));  // psi(3) - psi(1)
  // y = 0, 10, 20 decides all radii (10); all of x lies within.
  const Matrix y = (Matrix(3, 1) << 0, 10, 20).finished();
  CHECK(mi_ksg(x, y, {.neighbours = 1}).raw == doctest::Approx(0.0));
}

TEST_CASE("mi_ksg: the definition, for scalars, vectors, ties and long offsets") {
  for (const Index dx : {1, 2, 5})
    for (const Index dy : {1, 3, 17})
      for (const Index k : {1, 3, 6}) {
        Matrix x = normals(157, dx, 1), y = normals(157, dy, 2);
        y.col(0) += 2.0 * x.col(0);
        CAPTURE(dx);
        CAPTURE(dy);
        CAPTURE(k);
        CHECK(mi_ksg(x, y, {.neighbours = k}).raw == doctest::Approx(plain(x, y, k)));
        // Ties at 1/4, duplicates, and an offset that would leave a float no digits.
        x = (x.array() * 2.0).round() * 0.25 + 1e9;
        y = (y.array() * 2.0).round() * 0.25 - 3e9;
        CHECK(mi_ksg(x, y, {.neighbours = k}).raw == doctest::Approx(plain(x, y, k)));
      }
}

TEST_CASE("mi_ksg: vectors where coarse distances tell little, and every small n") {
  for (Index n = 4; n <= 70; n += 3) {
    CAPTURE(n);
    const Matrix x = normals(n, 2, 10), y = x + normals(n, 2, 11);
    CHECK(mi_ksg(x, y).raw == doctest::Approx(plain(x, y, 3)));
  }
  const Matrix x = normals(131, 3, 12), y = x.leftCols(2) + normals(131, 2, 13);
  Matrix far = x;
  far(7, 1) = 1e12;  // all others lie in one step of the coarse scale
  CHECK(mi_ksg(far, y).raw == doctest::Approx(plain(far, y, 3)));
  CHECK(mi_ksg(y, far).raw == doctest::Approx(plain(y, far, 3)));
  for (const double scale : {1e307, 1e-307, 4e-323}) {
    CAPTURE(scale);
    const Matrix xs = x.unaryExpr([=](double v) { return std::round(8 * v) * (scale / 8); });
    const Matrix ys = y.unaryExpr([=](double v) { return std::round(8 * v) * (scale / 8); });
    CHECK(mi_ksg(xs, ys).raw == doctest::Approx(plain(xs, ys, 3)));
  }
}

TEST_CASE("mi_ksg: enough samples for many runs, dependent, discrete on one side, and sorted") {
  const Matrix x = normals(1500, 1, 3);
  Matrix y = normals(1500, 1, 4) * 0.1;
  y += x.array().sin().matrix();
  CHECK(mi_ksg(x, y).raw == doctest::Approx(plain(x, y, 3)));
  CHECK(mi_ksg(y, x).raw == doctest::Approx(mi_ksg(x, y).raw));
  const Matrix steps = x.array().round() * 0.5;
  CHECK(mi_ksg(steps, y).raw == doctest::Approx(plain(steps, y, 3)));
  CHECK(mi_ksg(y, steps).raw == doctest::Approx(plain(steps, y, 3)));
}

TEST_CASE("mi_ksg: one scale for both, shifts and permutations change nothing") {
  const Matrix x = normals(200, 2, 5), y = x + normals(200, 2, 6);
  const double value = mi_ksg(x, y).raw;
  CHECK(mi_ksg(x * 1024.0, y * 1024.0).raw == doctest::Approx(value));
  CHECK(mi_ksg(x.colwise().reverse().eval(), y.colwise().reverse().eval()).raw ==
        doctest::Approx(value));
  CHECK(mi_ksg(x * 1e-3, y).raw != doctest::Approx(value));  // one radius serves both
  CHECK(mi_ksg(x * 1e-200, y * 1e-200).raw == doctest::Approx(value));
}

TEST_CASE("mi_ksg: about itself, and of a constant") {
  const SortedValues x(Vector(normals(400, 1, 7).col(0)));
  const auto psi = digamma_table(400);
  CHECK(mi_ksg_self(x).value == doctest::Approx(psi[399] - psi[2]));
  CHECK(mi_ksg_self(x).raw == doctest::Approx(mi_ksg(x, x).raw));
  CHECK(mi_ksg_self(x).tied == 0);
  const SortedValues constant(Vector::Constant(400, 0.25));
  CHECK(std::abs(mi_ksg(constant, x).value) < 1e-12);
  CHECK(mi_ksg_self(constant).value == 0.0);
  CHECK(mi_ksg_self(constant).tied == 400);
}

TEST_CASE("mi_ksg: values that change places need no sorting; nor do groups of them") {
  const Matrix x = normals(150, 1, 1), y = 0.5 * x + normals(150, 1, 2);
  const Vector xs = x.col(0), ys = y.col(0);
  const SortedValues sorted_x(xs), sorted_y(ys);
  std::vector<std::int32_t> order(sorted_y.order().begin(), sorted_y.order().end());
  for (std::int32_t& sample : order) sample = (sample + 40) % 150;
  Vector moved(150);
  for (Index i = 0; i < 150; ++i) moved((i + 40) % 150) = ys(i);
  CHECK(KsgScalar(sorted_x).with(sorted_y, order).raw == mi_ksg(sorted_x, SortedValues(moved)).raw);

  IndexVector group;
  for (Index i = 0; i < 150; ++i) group.push_back(i % 3 == 0);
  const std::vector<SortedValues> dealt = sorted_x.dealt(group, 2);
  for (const Index g : {0, 1}) {
    std::vector<double> mine;
    for (Index i = 0; i < 150; ++i)
      if (group[static_cast<size_t>(i)] == g) mine.push_back(xs(i));
    const SortedValues wanted(Eigen::Map<const Vector>(mine.data(), std::ssize(mine)));
    const SortedValues& found = dealt[static_cast<size_t>(g)];
    CHECK(std::ranges::equal(found.values(), wanted.values()));
    CHECK(std::ranges::equal(found.sorted(), wanted.sorted()));
    CHECK(std::ranges::equal(found.order(), wanted.order()));
  }
}

TEST_CASE("mi_ksg: signed zeros are one value") {
  Matrix x = normals(50, 1, 8), y = normals(50, 1, 9);
  for (Index i = 0; i < 20; ++i) x(i, 0) = i % 2 ? 0.0 : -0.0;
  CHECK(mi_ksg(x, y).raw == doctest::Approx(plain(x, y, 3)));
}

TEST_CASE("mi_ksg: what it refuses") {
  const Matrix x = normals(3, 1, 1);
  CHECK_THROWS_SAYING(mi_ksg(x, x), std::invalid_argument, "x has 3 samples", "at least 4");
  CHECK_THROWS_SAYING(mi_ksg(x, x, {.neighbours = 0}), std::invalid_argument, "neighbours is 0");
  CHECK_THROWS_SAYING(mi_ksg(x, normals(4, 1, 1)), std::invalid_argument, "y 4 x 1");
  CHECK_THROWS_SAYING(mi_ksg(x, Matrix(3, 0)), std::invalid_argument, "y 3 x 0");
  Matrix bad = normals(8, 2, 1);
  bad(4, 1) = kNan;
  CHECK_THROWS_SAYING(mi_ksg(bad, normals(8, 2, 2)), std::invalid_argument, "x is nan at row 4");
  CHECK_THROWS_SAYING(mi_ksg(normals(8, 2, 2), bad), std::invalid_argument, "y is nan at row 4");
  CHECK_THROWS_SAYING(SortedValues(Vector()), std::invalid_argument, "values is empty");
  CHECK_THROWS_SAYING(SortedValues(Vector::Constant(2, kNan)), std::invalid_argument, "values is");
  const SortedValues four(Vector::LinSpaced(4, 0, 1)), five(Vector::LinSpaced(5, 0, 1));
  CHECK_THROWS_SAYING(mi_ksg(four, five), std::invalid_argument, "x has 4", "y 5");
}

}  // namespace

}  // namespace conoscope::tests
