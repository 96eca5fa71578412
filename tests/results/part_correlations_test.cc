// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include "results/analysis/correlation.h"
#include "tests/results/sample.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;

namespace {

void record(Store& store, const char* explainer, int seed, const std::vector<double>& a,
            const std::vector<double>& b) {
  std::vector<SampleScoreRow> parts;
  for (const auto& [metric, values] : {std::pair("a", a), std::pair("b", b)})
    for (std::size_t i = 0; i < values.size(); ++i)
      parts.push_back(
          values[i] < 0
              ? SampleScoreRow{metric, static_cast<std::int64_t>(i), std::nullopt, "undefined"}
              : sample_score_row(metric, static_cast<std::int64_t>(i), values[i]));
  store.record(attempt(explainer + std::to_string(seed), key_of("d", "m", explainer, seed)),
               std::vector{score_row("a", 1), score_row("b", 1)}, parts);
}

}  // namespace

TEST_CASE("parts of two metrics: rho over those of all subjects, seed by seed") {
  Store store = sample::memory({.explainers = {"e", "f"}, .seeds = 4});
  // Two parts each of b, each with two of a: the larger counts. Below 0: undefined.
  record(store, "e", 1, {0.1, 0.9, 0.3, 0.2}, {5, 1});
  record(store, "f", 1, {0.5, -1, 0.6, 0.1}, {2, 3});
  record(store, "e", 2, {0.9, 0.1, 0.2, 0.3}, {1, 5});
  record(store, "f", 2, {0.5, 0.4, 0.1, 0.6}, {3, 2});
  // Without the second part of e, (0.9, 5), (0.5, 3), (0.6, 2) are left: ranks 3 1 2 and 3 2 1.
  record(store, "e", 3, {0.1, 0.9, -1, -1}, {5, 1});
  record(store, "f", 3, {0.5, 0.4, 0.1, 0.6}, {3, 2});
  record(store, "e", 4, {0.1, 0.9, 0.3, 0.2}, {5, 1});  // f has none at this seed
  const std::vector<BoardSubject> both = {{"d", "m", "e"}, {"d", "m", "f"}};
  const auto rho = part_correlations(store, "run", both, "a", "b");
  REQUIRE(rho.size() == 3);
  CHECK(rho.at(1) == doctest::Approx(1.0));
  CHECK(rho.at(2) == doctest::Approx(-1.0));
  CHECK(rho.at(3) == doctest::Approx(0.5));
  CHECK(part_correlations(store, "run", {{"d", "m", "e"}, {"d", "m", "g"}}, "a", "b").empty());
}
