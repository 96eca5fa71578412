// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <span>

#include "datasets/soft_concepts/representation.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;
using conoscope::datasets::concept_interval;

namespace {

Bundle load(const Arguments& arguments, std::uint64_t seed = 0) {
  return loaded(plugin("soft_concepts"), arguments, seed);
}

double correlation(std::span<const float> c, std::size_t a, std::size_t b, std::size_t k) {
  double sum_a = 0, sum_b = 0, both = 0;
  const double n = static_cast<double>(c.size() / k);
  for (std::size_t i = 0; i < c.size(); i += k) {
    sum_a += c[i + a];
    sum_b += c[i + b];
    both += c[i + a] * c[i + b];
  }
  const double mean_a = sum_a / n, mean_b = sum_b / n;
  return (both / n - mean_a * mean_b) / std::sqrt(mean_a * (1 - mean_a) * mean_b * (1 - mean_b));
}

}  // namespace

TEST_CASE("soft_concepts: an interval, and the tile in it that the other concepts spell") {
  const std::array<std::int64_t, 3> c = {1, 0, 1};
  CHECK(concept_interval(c, 0, false).low == doctest::Approx(0.95).epsilon(1e-15));
  CHECK(concept_interval(c, 0, false).high == 1.0);
  CHECK(concept_interval(c, 1, false).low == 0.0);
  // Four tiles of 0.0125: concepts 1 and 2 spell 01, 0 and 2 spell 11, 0 and 1 spell 10.
  CHECK(concept_interval(c, 0, true).low == doctest::Approx(0.9625).epsilon(1e-15));
  CHECK(concept_interval(c, 0, true).high == doctest::Approx(0.975).epsilon(1e-15));
  CHECK(concept_interval(c, 1, true).low == doctest::Approx(0.0375).epsilon(1e-15));
  CHECK(concept_interval(c, 2, true).low == doctest::Approx(0.975).epsilon(1e-15));
  const std::array<std::int64_t, 1> one = {1};
  CHECK_THROWS_WITH_AS(concept_interval(one, 0, true),
                       "concept_interval: 1 concepts, expected 2 to 30", std::invalid_argument);
  CHECK_THROWS_WITH_AS(concept_interval(c, 3, true), "concept_interval: concept 3 of 3",
                       std::invalid_argument);
}

TEST_CASE("soft_concepts: every value lies in its interval, and the views hold the same values") {
  for (const char* representation : {"pure", "impure"}) {
    CAPTURE(representation);
    const Bundle data = load({{"representation", representation}, {"samples", 500}}, 3);
    CHECK(data.shape("concepts") == std::vector<std::int64_t>{500, 5});
    const auto truth = data.values<float>("concepts"),
               scores = data.values<float>("concept_scores");
    for (std::size_t i = 0; i < 500; ++i) {
      std::array<std::int64_t, 5> row{};
      for (std::size_t j = 0; j < 5; ++j) row[j] = truth[5 * i + j] > 0.5F ? 1 : 0;
      for (std::size_t j = 0; j < 5; ++j) {
        const auto interval = concept_interval(row, j, std::string(representation) == "impure");
        REQUIRE(scores[5 * i + j] >= static_cast<float>(interval.low));
        REQUIRE(scores[5 * i + j] <= static_cast<float>(interval.high));
      }
    }
    CHECK((data.arrays.at("codes") == data.arrays.at("concept_scores")));
    CHECK((data.arrays.at("factors") == data.arrays.at("concepts")));
    CHECK(data.shape("test_index")[0] == 100);
  }
}

TEST_CASE("soft_concepts: the covariance of the latents, and both representations of one seed") {
  // Signs of two normals with correlation r are correlated by 2/pi asin(r).
  const Bundle free = load({{"samples", 20000}}),
               tied = load({{"samples", 20000}, {"covariance", 0.5}});
  CHECK(std::abs(correlation(free.values<float>("concepts"), 0, 3, 5)) < 0.03);
  CHECK(correlation(tied.values<float>("concepts"), 0, 3, 5) ==
        doctest::Approx(1.0 / 3.0).epsilon(0.08));
  const Bundle impure = load({{"samples", 20000}, {"representation", "impure"}});
  CHECK((free.arrays.at("concepts") == impure.arrays.at("concepts")));
  CHECK((free == load({{"samples", 20000}})));
  CHECK_FALSE((free == load({{"samples", 20000}}, 1)));
}

TEST_CASE("soft_concepts: stops when asked to") {
  CHECK(plugin("soft_concepts").load({}, {.cancelled = [] { return true; }}).status ==
        CONO_CANCELLED);
}
