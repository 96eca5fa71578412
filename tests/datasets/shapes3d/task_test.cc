// SPDX-License-Identifier: Apache-2.0
#include "datasets/shapes3d/task.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

namespace datasets = conoscope::datasets;
namespace shapes3d = conoscope::datasets::shapes3d;
using shapes3d::LabelRule;

TEST_CASE("shapes3d task: labels by hand, and every rule gives 0 to 11 without a gap") {
  const std::uint8_t cube[] = {1, 1, 1, 1, 1, 1}, ball[] = {1, 1, 0, 1, 0, 1};
  CHECK(shapes3d::label(cube, LabelRule::kLeakage) == 11);
  CHECK(shapes3d::label(cube, LabelRule::kRobustMetrics) == 7);
  CHECK(shapes3d::label(cube, LabelRule::kMisspecified) == 7);  // 11 - 3 - 1 - 1 + 1
  CHECK(shapes3d::label(ball, LabelRule::kLeakage) == 3);
  CHECK(shapes3d::label(ball, LabelRule::kRobustMetrics) == 11);
  CHECK(shapes3d::label(ball, LabelRule::kMisspecified) == 4);  // 3 + c2 c4 c6
  for (const auto rule :
       {LabelRule::kLeakage, LabelRule::kRobustMetrics, LabelRule::kMisspecified}) {
    std::set<std::int64_t> labels;
    for (int code = 0; code < 64; ++code) {
      std::uint8_t c[6];
      for (int bit = 0; bit < 6; ++bit) c[bit] = static_cast<std::uint8_t>(code >> bit & 1);
      labels.insert(shapes3d::label(c, rule));
    }
    CHECK(labels.size() == 12);
    CHECK(*labels.begin() == 0);
    CHECK(*labels.rbegin() == 11);
  }
}

TEST_CASE("shapes3d task: sizes stay near 16000, sets of one seed are nested") {
  const auto table =
      datasets::every_combination({shapes3d::kSizes.begin(), shapes3d::kSizes.end()});
  REQUIRE(table.rows() == 480000);
  const auto sets = datasets::draw_conditional_sets(shapes3d::kSteps, conoscope::sdk::Seed(1));
  CHECK(shapes3d::select_rows(table, 0, {}).size() == 16000);
  for (std::int64_t gamma = 1; gamma <= 5; ++gamma) {
    CAPTURE(gamma);
    const auto rows = shapes3d::select_rows(table, gamma, sets);
    CHECK(rows.size() > 10000);
    CHECK(rows.size() < 20000);
    for (const auto i : rows) {
      const auto row = table.row(i);
      REQUIRE(sets[0].allows(row[0], row[0] < 5, row[1]));
    }
  }
  CHECK_THROWS_WITH_AS(shapes3d::select_rows(table, 6, sets),
                       "shapes3d: gamma is 6 with 5 conditional sets, expected 0 to 5",
                       std::invalid_argument);
}
