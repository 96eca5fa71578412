// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/vae/pairs.h"

#include <doctest/doctest.h>

#include <map>
#include <numeric>

#include "tests/support/plugin_driver.h"
#include "tests/support/throws.h"

using conoscope::models::Pairs;
using conoscope::testing::OwnedArray;
namespace sdk = conoscope::sdk;

namespace {

/// Rows are all combinations of values 0 ... size - 1, the last factor fastest.
struct Grid {
  std::vector<std::int64_t> values, rows;
  std::int64_t factors = 0;

  explicit Grid(const std::vector<std::int64_t>& sizes)
      : factors(static_cast<std::int64_t>(sizes.size())) {
    const std::int64_t count =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t i = 0; i < count; ++i) {
      rows.push_back(i);
      std::int64_t step = count, rest = i;
      for (const std::int64_t size : sizes) {
        step /= size;
        values.push_back(rest / step);
        rest %= step;
      }
    }
  }

  OwnedArray array() const {
    return OwnedArray::of<std::int64_t>(
        {static_cast<std::int64_t>(values.size()) / factors, factors}, values);
  }
  int differing(std::int64_t a, std::int64_t b) const {
    int count = 0;
    for (std::int64_t f = 0; f < factors; ++f)
      count += values[static_cast<std::size_t>(a * factors + f)] !=
               values[static_cast<std::size_t>(b * factors + f)];
    return count;
  }
};

Pairs pairs_of(const OwnedArray& factors, const std::vector<std::int64_t>& rows,
               std::int64_t changed) {
  return Pairs(sdk::Tensor(factors.raw(), "factors"), rows, changed);
}

}  // namespace

TEST_CASE("pairs: on a grid as many factors may differ as asked for") {
  const Grid grid({3, 4, 2, 5});
  const OwnedArray factors = grid.array();
  for (const int asked : {1, 2, 3, 4}) {
    Pairs pairs = pairs_of(factors, grid.rows, asked);
    CHECK(pairs.varying_factors() == 4);
    sdk::Random random(sdk::Seed(1));
    std::map<int, int> seen;
    for (int draw = 0; draw < 2000; ++draw) {
      const std::int64_t row = draw % 120, partner = pairs.partner(row, random);
      REQUIRE(partner != row);
      ++seen[grid.differing(row, partner)];
    }
    CHECK(seen.begin()->first >= 1);
    CHECK(seen.rbegin()->first == asked);
    CHECK(seen[asked] > 200);
  }
}

TEST_CASE("pairs: by default one factor, or with probability 1/2 one to all but one") {
  const Grid grid({8, 8, 8, 8});
  const OwnedArray factors = grid.array();
  Pairs pairs = pairs_of(factors, grid.rows, 0);
  sdk::Random random(sdk::Seed(2));
  std::map<int, int> seen;
  const int draws = 6000;
  for (int draw = 0; draw < draws; ++draw) {
    const auto row = static_cast<std::int64_t>(random.below(grid.rows.size()));
    ++seen[grid.differing(row, pairs.partner(row, random))];
  }
  // Allowed to change: 1, 2, 3 with 2/3, 1/6, 1/6. Of the other 8^k - 1 rows of the group, 7^j
  // binomial(k, j) differ in j factors.
  const double one = 2.0 / 3 + (14.0 / 63) / 6 + (21.0 / 511) / 6;
  const double two = (49.0 / 63) / 6 + (147.0 / 511) / 6, three = (343.0 / 511) / 6;
  CHECK(seen.size() == 3);
  CHECK(seen[1] / double{draws} == doctest::Approx(one).epsilon(0.05));
  CHECK(seen[2] / double{draws} == doctest::Approx(two).epsilon(0.15));
  CHECK(seen[3] / double{draws} == doctest::Approx(three).epsilon(0.15));
}

TEST_CASE("pairs: rows of the split alone, any partner equally often") {
  const Grid grid({2, 6});
  const OwnedArray factors = grid.array();
  const std::vector<std::int64_t> rows = {11, 0, 2, 4, 5};  // (1,5) and four of (0,.)
  Pairs pairs = pairs_of(factors, rows, 1);
  sdk::Random random(sdk::Seed(3));
  std::map<std::int64_t, int> seen;
  for (int draw = 0; draw < 3000; ++draw) ++seen[pairs.partner(1, random)];
  // Row 0 is (0,0): no (1,0) is there, so the first factor alone finds nothing and both may change.
  // Second factor first: rows 2, 4, 5. First one first: the four others.
  CHECK(seen.size() == 4);
  for (const std::int64_t position : {2, 3, 4})
    CHECK(seen[position] / 3000.0 == doctest::Approx(0.5 / 3 + 0.5 / 4).epsilon(0.1));
  CHECK(seen[0] / 3000.0 == doctest::Approx(0.125).epsilon(0.15));
}

TEST_CASE("pairs: the same draws again from the same seed") {
  const Grid grid({3, 4, 2});
  const OwnedArray factors = grid.array();
  const auto draws = [&] {
    Pairs pairs = pairs_of(factors, grid.rows, 0);
    sdk::Random random(sdk::Seed(4));
    std::vector<std::int64_t> out;
    for (int draw = 0; draw < 200; ++draw) out.push_back(pairs.partner(draw % 24, random));
    return out;
  };
  CHECK(draws() == draws());
}

TEST_CASE("pairs: factors of one value do not count, real values are told apart") {
  const OwnedArray factors =
      OwnedArray::of<double>({4, 3}, {7, 0.25, 1, 7, 0.5, 1, 7, 0.25, 2, 7, 0.5, 2});
  CHECK(pairs_of(factors, {0, 1, 2, 3}, 0).varying_factors() == 2);
}

TEST_CASE("pairs: what they refuse") {
  const Grid grid({2, 2});
  const OwnedArray factors = grid.array();
  CHECK_THROWS_SAYING(pairs_of(factors, {0}, 0), std::domain_error,
                      "pairs need at least two training rows");
  CHECK_THROWS_SAYING(pairs_of(factors, grid.rows, 3), std::invalid_argument,
                      "changed_factors is 3, but only 2 factors vary");
  CHECK_THROWS_SAYING(pairs_of(OwnedArray::of<double>({2, 1}, {1, 1}), {0, 1}, 0),
                      std::domain_error, "factors: each has one value in the training split");
  CHECK_THROWS_SAYING(pairs_of(OwnedArray::of<double>({2, 1}, {1, NAN}), {0, 1}, 0),
                      std::invalid_argument, "factors: value 1 (row-major) is not finite");
  CHECK_THROWS_SAYING(pairs_of(OwnedArray::of<double>({2}, {1, 2}), {0, 1}, 0),
                      std::invalid_argument, "factors: 2, expected n x F");
  std::vector<double> many;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < 200; ++i) {
    rows.push_back(i);
    for (int f = 0; f < 10; ++f) many.push_back(static_cast<double>(i));
  }
  CHECK_THROWS_SAYING(pairs_of(OwnedArray::of<double>({200, 10}, many), rows, 0),
                      std::invalid_argument, "2^63");
}
