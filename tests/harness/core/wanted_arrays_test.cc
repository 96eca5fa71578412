// SPDX-License-Identifier: Apache-2.0
#include "harness/core/measure/wanted_arrays.h"

#include <doctest/doctest.h>

#include "harness/core/border/needs.h"
#include "metrics/catalogue.h"

TEST_CASE("whatever a metric of the catalogue needs has words for who lacks it") {
  for (const auto& metric : conoscope::metrics::catalogue().metrics())
    for (const auto need : metric.needs)
      for (const auto view : conoscope::core::alternatives(need)) {
        CAPTURE(view);
        CHECK_FALSE(conoscope::core::what_brings(view).empty());
      }
}
