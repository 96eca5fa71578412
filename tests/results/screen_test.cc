// SPDX-License-Identifier: Apache-2.0
#include "results/formats/screen.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "results/formats/utf8.h"

using namespace conoscope::results;

namespace {

Column score(const std::string& name, Better better) {
  return {.name = name, .type = ColumnType::kEstimate, .better = better};
}

/// A board of three methods, one of them its own control.
Table board() {
  Table table;
  table.columns = {{"rank", ColumnType::kInteger},
                   {"dataset"},
                   {"explainer"},
                   {"coverage", ColumnType::kCoverage},
                   score("surf_emd", Better::kLower),
                   score("surf_emd@random_concepts", Better::kLower),
                   score("surf_top1", Better::kHigher)};
  Estimate best{0.25, 0.19, 3, 3};
  best.best = true;
  Estimate noted{0.5, 0.2, 3, 3}, again{0.83, 0.16, 3, 3};
  noted.messages = {"380 of 1000 samples are left out"};
  again.messages = {"113 of 1000 samples are left out", "one is constant"};
  table.add({std::int64_t{1}, "digits", "topk_sae(k=5,epochs=30)", Coverage{3, 3}, best,
             Estimate{0.9, 0.1, 3, 3}, again});
  table.add({std::int64_t{2}, "digits", "topk_sae(k=9,epochs=30)", Coverage{3, 3}, noted, Field(),
             Estimate{0.7, 0.3, 3, 3}});
  table.add({Field(), "digits", "-- random --", Field(), Estimate{0.9, std::nullopt, 1, 1}, Field(),
             Field()});
  return table;
}

int widest(const std::string& text) {
  int out = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out = std::max(out, display_width(line));
  return out;
}

}  // namespace

TEST_CASE("screen: what all rows share stands above, controls and directions in the heads") {
  CHECK(to_screen(board(), {.width = 100}) ==
        R"(dataset: digits
every topk_sae: epochs=30
coverage: 3/3

rank  explainer        surf_emd ↓  @random_concepts     surf_top1 ↑
----  -------------  ------------  ----------------  --------------
   1  topk_sae(k=5)   0.25 ± 0.19       0.90 ± 0.10  0.83 ± 0.16¹,²
   2  topk_sae(k=9)  0.50 ± 0.20¹                 -     0.70 ± 0.30
   -  -- random --     0.9000 ± -                 -               -

¹ 113-380 of 1000 samples are left out
² one is constant
)");
}

TEST_CASE("screen: heads wrap first, then columns stand below, beside the rows' names") {
  CHECK(to_screen(board(), {.width = 64}) ==
        R"(dataset: digits
every topk_sae: epochs=30
coverage: 3/3

rank  explainer        surf_emd ↓     @random_     surf_top1 ↑
                                      concepts
----  -------------  ------------  -----------  --------------
   1  topk_sae(k=5)   0.25 ± 0.19  0.90 ± 0.10  0.83 ± 0.16¹,²
   2  topk_sae(k=9)  0.50 ± 0.20¹            -     0.70 ± 0.30
   -  -- random --     0.9000 ± -            -               -

¹ 113-380 of 1000 samples are left out
² one is constant
)");
  const std::string narrow = to_screen(board(), {.width = 44});
  CHECK(widest(narrow) <= 44);
  CHECK(narrow.find("rank  explainer", narrow.find("rank  explainer") + 1) != narrow.npos);
  // A number is never cut, whatever the width.
  CHECK(to_screen(board(), {.width = 10}).find("0.83 ± 0.16¹,²") != std::string::npos);
}

TEST_CASE("screen: the best is bold where the screen can show it") {
  CHECK(to_screen(board(), {.width = 100, .styled = true}).find("\x1b[1m0.25 ± 0.19\x1b[0m") !=
        std::string::npos);
}

TEST_CASE("screen: texts wrap where a name has its parts") {
  Table table;
  table.columns = {{"id"}, {"about"}};
  table.add({"a", "one, two and three words that do not fit"});
  table.add({"b", "cbm(bottleneck=logit,concept_weight=0.1)"});
  CHECK(to_screen(table, {.width = 24}) == R"(id  about
--  --------------------
a   one, two and three
    words that do not
    fit
b   cbm(bottleneck=
    logit,concept_
    weight=0.1)
)");
}

TEST_CASE("screen: rows of long texts alone stand below each other") {
  Table table;
  table.columns = {{"item"}, {"claim"}, {"note"}};
  table.add({"Table 1", "interventions fail the logit model alone, whatever its weight", Field()});
  table.add({"Fig. 2", "drawn", "of three concepts"});
  CHECK(to_screen(table, {.width = 28}) == R"(item   Table 1
claim  interventions fail
       the logit model
       alone, whatever its
       weight

item   Fig. 2
claim  drawn
note   of three concepts
)");
}

TEST_CASE(
    "screen: equal rows stay rows, and brackets that hold no parameters stay where they are") {
  Table table;
  table.columns = {{"name"}, {"n", ColumnType::kInteger}};
  table.add({"mean (of all)", std::int64_t{1}});
  table.add({"mean (of all)", std::int64_t{1}});
  CHECK(to_screen(table, {}) == R"(name           n
-------------  -
mean (of all)  1
mean (of all)  1
)");
  table.columns.erase(table.columns.begin() + 1);
  table.rows = {{"mean (of all)"}, {"sum (of all)"}, {"sum (of all)"}};
  CHECK(to_screen(table, {}) == R"(name
-------------
mean (of all)
sum (of all)
sum (of all)
)");
}
