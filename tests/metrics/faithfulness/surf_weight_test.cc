// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_weight.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/heads.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_weight: by hand, class-specific with an empty output, and class-agnostic") {
  Explanation specific;
  specific.cavs = Matrix{{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}};
  specific.importance = Vector{{2.0, -3.0, 0.5}};
  specific.offset = {0, 2, 2, 3};
  CHECK(surf_weight(specific) == Matrix{{2.0, -3.0}, {0.0, 0.0}, {0.5, 0.5}});

  Explanation agnostic;
  agnostic.class_agnostic = true;
  agnostic.cavs = Matrix{{1.0, 0.0}, {1.0, 1.0}};
  agnostic.importance_by_output = Matrix{{1.0, 2.0}, {0.0, -1.0}, {4.0, 0.0}};
  CHECK(surf_weight(agnostic) == Matrix{{3.0, 2.0}, {-1.0, -1.0}, {4.0, 0.0}});
}

TEST_CASE("surf_weight: throws, as every taker of an explanation that contradicts itself") {
  const auto broken = [](auto change) {
    Explanation explanation = normal_explanation(3, 2, 4);
    change(explanation);
    return explanation;
  };
  const auto check = [](const Explanation& explanation, const std::string& text) {
    CHECK_THROWS_SAYING(surf_weight(explanation), std::invalid_argument, text);
  };
  check(rectified(normal_explanation(3, 2, 4)), "projection");
  check(Explanation(), "explains no output");
  check(broken([](Explanation& e) { e.offset = {1, 2, 4, 6}; }), "offset starts at 1");
  check(broken([](Explanation& e) {
          e.offset = {0, 4, 2, 6};
        }),
        "descends from 4 to 2 at output 1");
  check(broken([](Explanation& e) { e.offset.back() = 5; }), "6 entries, offsets say 5");
  check(broken([](Explanation& e) { e.cavs.conservativeResize(5, 4); }), "cavs has 5 rows");
  check(broken([](Explanation& e) { e.cavs(5, 1) = std::nan(""); }),
        "explanation: cavs is nan at row 5, column 1");
  check(broken([](Explanation& e) { e.importance(3) = std::nan(""); }),
        "explanation: importance is nan at entry 3");
  Explanation agnostic;
  agnostic.class_agnostic = true;
  agnostic.cavs = Matrix::Ones(2, 3);
  agnostic.importance_by_output = Matrix::Ones(4, 3);
  check(agnostic, "cavs has 2 rows, importances say 3");
  agnostic.importance_by_output = Matrix::Constant(4, 2, std::nan(""));
  check(agnostic, "explanation: importance_by_output is nan at row 0, column 0");
}

}  // namespace

}  // namespace conoscope::tests
