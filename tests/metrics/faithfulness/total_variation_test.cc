#include "metrics/faithfulness/total_variation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("total_variation: by hand") {
  CHECK(total_variation(Vector{{0.5, 0.5, 0.0}}, Vector{{0.25, 0.25, 0.5}}) == 0.5);
  CHECK(total_variation(Vector{{1.0, 0.0}}, Vector{{0.0, 1.0}}) == 1.0);
  CHECK(total_variation(Vector{{1.0}}, Vector{{1.0}}) == 0.0);
}

TEST_CASE("total_variation: throws") {
  const Vector p{{0.5, 0.5}};
  CHECK_THROWS_SAYING(total_variation(Vector(), Vector()), std::invalid_argument, "0 entries");
  CHECK_THROWS_SAYING(total_variation(p, Vector{{1.0}}), std::invalid_argument, "2 entries");
  CHECK_THROWS_SAYING(total_variation(Vector{{1.5, -0.5}}, p), std::invalid_argument, "p has",
                      "-0.5");
  CHECK_THROWS_SAYING(total_variation(p, Vector{{0.5, 0.6}}), std::invalid_argument,
                      "q sums to 1.1");
  CHECK_THROWS_SAYING(total_variation(p, Vector{{std::nan(""), 0.6}}), std::invalid_argument,
                      "q is nan");
}

}  // namespace

}  // namespace conoscope::tests
