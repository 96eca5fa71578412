#pragma once

#include <cstdlib>

#include "tests/harness/app/workspace.h"

namespace conoscope::testing {

/// How often a test that looks for the unknown tries: few times in every run of the tests, and as
/// often as CONOSCOPE_TEST_TRIALS says for a long look.
inline int trials(int usual) {
  const char* asked = std::getenv("CONOSCOPE_TEST_TRIALS");
  return asked == nullptr ? usual : std::atoi(asked);
}

/// Two explainers of the digits that ship, two seeds: 4 cells.
inline std::string small_run() {
  return digits_run("seeds = [0, 1]\nmetrics = [\"surf_mae\", \"surf_top1\"]", {"perfect", "svd"});
}

}  // namespace conoscope::testing
