// SPDX-License-Identifier: Apache-2.0
#include "numerics/slic.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "numerics/random.h"

namespace conoscope::numerics {
namespace {

Matrix halves(Index height, Index width, const Eigen::RowVectorXd& left,
              const Eigen::RowVectorXd& right) {
  Matrix out(height * width, left.size());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = i % width < width / 2 ? left : right;
  return out;
}

Matrix noise(Index height, Index width, Index channels) {
  Random random(Seed(5));
  Matrix out(height * width, channels);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.uniform();
  return out;
}

Index count_of(const std::vector<Index>& labels) {
  return *std::max_element(labels.begin(), labels.end()) + 1;
}

/// Numbered 0 ... L-1 in row order, and each label one 4-connected part.
void check_segments(const std::vector<Index>& labels, Index height, Index width) {
  REQUIRE(static_cast<Index>(labels.size()) == height * width);
  Index next = 0;
  std::vector<char> seen(labels.size(), 0);
  std::set<Index> started;
  for (std::size_t first = 0; first < labels.size(); ++first) {
    if (seen[first]) continue;
    CHECK(labels[first] == next++);
    CHECK(started.insert(labels[first]).second);
    std::vector<std::size_t> open{first};
    seen[first] = 1;
    while (!open.empty()) {
      const auto i = static_cast<Index>(open.back());
      open.pop_back();
      const Index around[] = {i % width > 0 ? i - 1 : -1, i % width < width - 1 ? i + 1 : -1,
                              i - width, i + width};
      for (const Index n : around)
        if (n >= 0 && n < height * width && !seen[static_cast<std::size_t>(n)] &&
            labels[static_cast<std::size_t>(n)] == labels[first]) {
          seen[static_cast<std::size_t>(n)] = 1;
          open.push_back(static_cast<std::size_t>(n));
        }
    }
  }
}

TEST_CASE("two flat halves are never mixed in a segment, grey or colour") {
  const Eigen::RowVectorXd black = Eigen::RowVectorXd::Zero(1), white = black.array() + 1.0;
  const Eigen::RowVector3d red(1, 0, 0), green(0, 0.5, 0);
  for (const auto& image : {halves(12, 20, black, white), halves(12, 20, red, green)})
    for (const Index segments : {2, 6, 15}) {
      const auto labels = slic(image, 12, 20, {.segments = segments, .sigma = 0});
      check_segments(labels, 12, 20);
      std::set<Index> left, right;
      for (Index i = 0; i < 240; ++i)
        (i % 20 < 10 ? left : right).insert(labels[static_cast<std::size_t>(i)]);
      for (const Index label : left) CHECK(right.count(label) == 0);
    }
}

TEST_CASE("two segments of two flat halves are the halves") {
  const Eigen::RowVectorXd dark = Eigen::RowVectorXd::Constant(1, 0.2), light = dark * 4.0;
  const auto labels = slic(halves(8, 16, dark, light), 8, 16, {.segments = 2});
  for (Index i = 0; i < 128; ++i)
    CHECK(labels[static_cast<std::size_t>(i)] == (i % 16 < 8 ? 0 : 1));
}

TEST_CASE("a flat image falls into a grid, its number of segments near the one asked for") {
  for (const Index segments : {1, 4, 15, 50, 80}) {
    const auto labels = slic(Matrix::Constant(64 * 48, 3, 0.5), 64, 48, {.segments = segments});
    check_segments(labels, 64, 48);
    const double ratio = static_cast<double>(count_of(labels)) / static_cast<double>(segments);
    CHECK(ratio >= 0.75);
    CHECK(ratio <= 1.34);
  }
}

TEST_CASE("noise still gives connected segments, about as many") {
  for (const Index channels : {1, 3})
    for (const Index segments : {15, 50}) {
      const auto labels = slic(noise(40, 30, channels), 40, 30, {.segments = segments});
      check_segments(labels, 40, 30);
      CHECK(count_of(labels) >= segments / 2);
      CHECK(count_of(labels) <= segments * 2);
    }
}

TEST_CASE("more segments than pixels: one for each; small and flat images work") {
  const auto labels = slic(noise(4, 3, 1), 4, 3, {.segments = 80, .sigma = 0});
  check_segments(labels, 4, 3);
  CHECK(count_of(labels) == 12);
  CHECK(slic(noise(1, 1, 3), 1, 1) == std::vector<Index>{0});
  for (const Index segments : {15, 50, 80})
    check_segments(slic(noise(8, 8, 1), 8, 8, {.segments = segments}), 8, 8);
  check_segments(slic(noise(1, 30, 1), 1, 30, {.segments = 5}), 1, 30);
}

TEST_CASE("the same image gives the same segments; grey is the colour image of equal channels") {
  const Matrix grey = noise(16, 16, 1);
  CHECK(slic(grey, 16, 16) == slic(grey, 16, 16));
  CHECK(slic(grey, 16, 16) == slic(grey.replicate(1, 3), 16, 16));
}

TEST_CASE("compactness: the larger, the nearer to the grid, whatever the colours") {
  const auto grid = slic(Matrix::Constant(24 * 24, 1, 0.5), 24, 24, {.segments = 9});
  const auto alike = [&](double compactness) {
    const auto labels = slic(noise(24, 24, 1), 24, 24, {.segments = 9, .compactness = compactness});
    Index same = 0;
    for (std::size_t i = 0; i < grid.size(); ++i) same += grid[i] == labels[i];
    return same;
  };
  const Index loose = alike(1.0), usual = alike(20.0), stiff = alike(1e4);
  CHECK(loose < usual);
  CHECK(usual <= stiff);
  CHECK(stiff > 24 * 24 / 2);
}

TEST_CASE("refusals") {
  const Matrix good = noise(4, 4, 1);
  CHECK_THROWS_AS(slic(good, 4, 5), std::invalid_argument);
  CHECK_THROWS_AS(slic(good, 0, 4), std::invalid_argument);
  CHECK_THROWS_AS(slic(good, -4, -4), std::invalid_argument);
  CHECK_THROWS_AS(slic(noise(4, 4, 2), 4, 4), std::invalid_argument);
  CHECK_THROWS_AS(slic(good, 4, 4, {.segments = 0}), std::invalid_argument);
  CHECK_THROWS_AS(slic(good, 4, 4, {.compactness = -1}), std::invalid_argument);
  CHECK_THROWS_AS(slic(good, 4, 4, {.sigma = -1}), std::invalid_argument);
  CHECK_THROWS_AS(slic(good, 4, 4, {.iterations = -1}), std::invalid_argument);
  CHECK_THROWS_AS(slic(good, 4, 4, {.min_share = -0.1}), std::invalid_argument);
  for (const double bad : {-0.01, 1.01, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Matrix spoilt = good;
    spoilt(3, 0) = bad;
    CHECK_THROWS_AS(slic(spoilt, 4, 4), std::invalid_argument);
  }
}

}  // namespace
}  // namespace conoscope::numerics
