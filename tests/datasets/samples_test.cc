// SPDX-License-Identifier: Apache-2.0
#include "datasets/samples.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

namespace datasets = conoscope::datasets;
using conoscope::sdk::Seed;

TEST_CASE("samples: rows are drawn without replacement, by the seed") {
  std::vector<std::int64_t> all(1000);
  std::iota(all.begin(), all.end(), 100);
  const auto drawn = datasets::draw_rows(all, 300, Seed(1), "it");
  CHECK(drawn.size() == 300);
  CHECK(std::is_sorted(drawn.begin(), drawn.end()));
  CHECK(std::set(drawn.begin(), drawn.end()).size() == 300);
  CHECK(drawn.front() >= 100);
  CHECK(drawn.back() < 1100);
  CHECK(drawn == datasets::draw_rows(all, 300, Seed(1), "it"));
  CHECK(drawn != datasets::draw_rows(all, 300, Seed(2), "it"));
  CHECK(datasets::draw_rows(all, 0, Seed(1), "it") == all);
  CHECK(datasets::draw_rows(all, 1000, Seed(1), "it") == all);
  // Each row is as likely as any other: 300 of 1000, 200 times; a deviation is 3 of 60.
  std::vector<int> times(1000, 0);
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const auto i : datasets::draw_rows(all, 300, Seed(seed), "it"))
      ++times[static_cast<std::size_t>(i - 100)];
  CHECK(*std::min_element(times.begin(), times.end()) > 25);
  CHECK(*std::max_element(times.begin(), times.end()) < 95);
  CHECK_THROWS_WITH_AS(datasets::draw_rows(all, 1001, Seed(1), "it"),
                       "it: samples is 1001, but there are 1000 images; 0 takes them all",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(datasets::draw_rows({}, 0, Seed(1), "it"),
                       "it: no image is left to draw from", std::invalid_argument);
}
