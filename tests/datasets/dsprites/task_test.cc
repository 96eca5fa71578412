// SPDX-License-Identifier: Apache-2.0
#include "datasets/dsprites/task.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace datasets = conoscope::datasets;
namespace dsprites = conoscope::datasets::dsprites;
using dsprites::LabelRule;
using dsprites::Selection;

namespace {

const datasets::FactorTable& table() {
  static const auto table =
      datasets::every_combination({dsprites::kSizes.begin(), dsprites::kSizes.end()});
  return table;
}

std::vector<datasets::ConditionalSets> sets(std::uint64_t seed) {
  return datasets::draw_conditional_sets(dsprites::kSteps, conoscope::sdk::Seed(seed));
}

}  // namespace

TEST_CASE("dsprites task: labels by hand") {
  const std::uint8_t heart[] = {0, 1, 1, 1, 0}, square[] = {1, 1, 0, 1, 1};
  CHECK(dsprites::label(heart, LabelRule::kLeakage) == 6);         // 4 + 2 c4 + c5
  CHECK(dsprites::label(heart, LabelRule::kRobustMetrics) == 6);   // 4 + 2 c3 + c5
  CHECK(dsprites::label(heart, LabelRule::kMisspecified) == 5);    // 6 - c3 c4
  CHECK(dsprites::label(square, LabelRule::kLeakage) == 2);        // 2 c2 + c3
  CHECK(dsprites::label(square, LabelRule::kRobustMetrics) == 3);  // 2 c2 + c4
  CHECK(dsprites::label(square, LabelRule::kMisspecified) == 0);   // 2 - c2 c5 - c2 c4
}

TEST_CASE("dsprites task: gamma 0 is a crossed grid of 23040 images") {
  const auto rows = dsprites::select_rows(table(), 0, {}, Selection::kConditional);
  CHECK(rows.size() == 3 * 3 * 10 * 16 * 16);
  const auto known =
      dsprites::annotate(table(), rows, LabelRule::kLeakage, Selection::kConditional);
  std::vector<int> positives(5, 0);
  for (std::size_t i = 0; i < known.concepts.size(); ++i) positives[i % 5] += known.concepts[i];
  CHECK(positives == std::vector<int>{15360, 15360, 11520, 11520, 11520});
}

TEST_CASE("dsprites task: each step leaves its number of values, and labels follow the concepts") {
  const auto drawn = sets(5);
  for (std::int64_t gamma = 1; gamma <= 4; ++gamma) {
    CAPTURE(gamma);
    const auto rows = dsprites::select_rows(table(), gamma, drawn, Selection::kConditional);
    CHECK(rows.size() > 20000);
    CHECK(rows.size() < 60000);
    std::map<int, std::set<int>> values;  // of the last tied factor, by the one before
    const auto step = static_cast<std::size_t>(gamma - 1);
    for (const auto i : rows) values[table().row(i)[step]].insert(table().row(i)[step + 1]);
    for (const auto& [condition, found] : values) {
      const auto& how = dsprites::kSteps[step];
      const bool low = condition < (step == 0 ? 2 : step == 1 ? 3 : step == 2 ? 20 : 16);
      CHECK(static_cast<int>(found.size()) <= how.count);
      if (step == 0) CHECK(static_cast<int>(found.size()) == how.count);
      CHECK(*found.rbegin() < (low ? how.lower_end : how.values));
      CHECK(*found.begin() >= (low ? 0 : how.upper_begin));
    }
    const auto known =
        dsprites::annotate(table(), rows, LabelRule::kLeakage, Selection::kConditional);
    for (std::size_t i = 0; i < rows.size(); ++i)
      REQUIRE(known.labels[i] ==
              dsprites::label(std::span(known.concepts).subspan(i * 5, 5), LabelRule::kLeakage));
  }
}

TEST_CASE("dsprites task: all hearts or none, as in the published code") {
  int with = 0, without = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto drawn = sets(seed);
    std::set<int> scales;
    const auto rows = dsprites::select_rows(table(), 1, drawn, Selection::kPublishedCode);
    for (const auto i : rows)
      if (table().row(i)[0] == 2) scales.insert(table().row(i)[1]);
    CHECK((scales.empty() || scales.size() == 6));
    // Squares and ellipses are the low shapes, whether there are hearts or not.
    const auto known =
        dsprites::annotate(table(), rows, LabelRule::kLeakage, Selection::kPublishedCode);
    std::size_t other = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      other += known.concepts[i * 5] != (table().row(rows[i])[0] < 2 ? 1 : 0);
    CHECK(other == 0);
    ++(scales.empty() ? without : with);
    scales.clear();
    for (const auto i : dsprites::select_rows(table(), 1, drawn, Selection::kConditional))
      if (table().row(i)[0] == 2) scales.insert(table().row(i)[1]);
    CHECK(scales.size() == 3);
  }
  CHECK(with > 0);  // three in four
  CHECK(without > 0);
}

TEST_CASE("dsprites task: what it refuses") {
  CHECK_THROWS_WITH_AS(dsprites::select_rows(table(), 5, sets(0), Selection::kConditional),
                       "dsprites: gamma is 5 with 4 conditional sets, expected 0 to 4",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(dsprites::select_rows(table(), 1, {}, Selection::kConditional),
                       "dsprites: gamma is 1 with 0 conditional sets, expected 0 to 4",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      dsprites::annotate(table(), {}, LabelRule::kLeakage, Selection::kConditional),
      "dsprites: no rows to annotate", std::invalid_argument);
}
