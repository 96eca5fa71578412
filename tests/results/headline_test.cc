// SPDX-License-Identifier: Apache-2.0
#include "results/report/headline.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/results/sample.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;

namespace {

using Values = std::vector<double>;

void record(Store& store, const std::string& explainer, const std::string& control,
            const Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto seed = static_cast<std::int64_t>(i) + 1;
    const std::string cell = key_of("d", "m", explainer, seed, control);
    store.record(attempt("of " + cell, cell), std::vector{score_row("a", values[i])});
  }
}

std::string headline_of(Store& store) {
  const auto among = contests(store, "run", "a", "higher");
  const auto found = headlines(store, "run", "a", "higher", among,
                               standings(store, "run", "a", "higher", among));
  REQUIRE(found.size() == 1);
  CHECK(found[0].dataset == "d");
  return found[0].text;
}

}  // namespace

TEST_CASE(
    "headline: the best, what cannot be told apart from it, and what does not beat its twin") {
  Store store = sample::memory({.explainers = {"perfect", "svd", "nmf", "kmeans"},
                                .controls = {"none", "random_concepts"},
                                .seeds = 4});
  record(store, "perfect", "none", {90, 91, 92, 93});  // a step of the ladder is no method
  record(store, "svd", "none", {10, 11, 12, 13});
  record(store, "nmf", "none", {9.9, 11.1, 11.9, 13});
  record(store, "kmeans", "none", {1, 2, 3, 4});
  record(store, "svd", "random_concepts", {1, 2.5, 3, 4});
  record(store, "nmf", "random_concepts", {1, 2.5, 3, 4});
  record(store, "kmeans", "random_concepts", {1.1, 1.9, 3.2, 3.9});
  CHECK(
      headline_of(store) ==
      "On d (m), svd is the best of 3 methods by a (11.5 ± 2.1) and cannot be told apart from nmf. "
      "kmeans does not beat its twin random_concepts.");
  const auto among = contests(store, "run", "a", "higher");
  CHECK(headlines(store, "run", "a", "none", among, {}).empty());
  CHECK(standings(store, "run", "a", "none", among).empty());
  std::map<std::string, std::string> marks;
  for (const auto& [subject, standing] : standings(store, "run", "a", "higher", among))
    marks[std::get<2>(subject)] = marks_of(standing);
  CHECK(marks == std::map<std::string, std::string>{{"svd", "✓"}, {"nmf", "≈✓"}, {"kmeans", ""}});
}

TEST_CASE("headline: one method, twins that all are beaten, one seed") {
  Store store = sample::memory(
      {.explainers = {"svd", "nmf"}, .controls = {"none", "random_concepts"}, .seeds = 3});
  record(store, "svd", "none", {10, 11, 12});
  record(store, "svd", "random_concepts", {1, 2.1, 3});
  record(store, "nmf", "none", {5, 6.1, 7});
  record(store, "nmf", "random_concepts", {1, 2.1, 3.1});
  CHECK(headline_of(store) ==
        "On d (m), svd is the best of 2 methods by a (11.0 ± 2.5), ahead of all others. Each beats "
        "its "
        "randomised twins.");
  Store alone = sample::memory({.explainers = {"svd"}, .seeds = 1});
  record(alone, "svd", "none", {10});
  CHECK(headline_of(alone) ==
        "On d (m), svd has a 10.00 ± -; one seed says nothing of differences.");
}
