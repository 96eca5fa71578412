#include "plugins/models/common/torch/optimise.h"

#include <doctest/doctest.h>

TEST_CASE("one_cycle: up to the whole rate in a fifth of the steps, then down to nothing") {
  using conoscope::models::one_cycle;
  CHECK(one_cycle(0.0) == 0.0);
  CHECK(one_cycle(0.1) == doctest::Approx(0.5));
  CHECK(one_cycle(0.2) == doctest::Approx(1.0));
  CHECK(one_cycle(0.6) == doctest::Approx(0.5));
  CHECK(one_cycle(1.0) == doctest::Approx(0.0).epsilon(1e-12));
}
