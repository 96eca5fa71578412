// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/harness/app/workspace.h"

namespace conoscope::testing {

/// How often a test that looks for the unknown tries: few times in every run of the tests, and as
/// often as CONOSCOPE_TEST_TRIALS says for a long look.
inline int trials(int usual) {
  const char* asked = std::getenv("CONOSCOPE_TEST_TRIALS");
  return asked == nullptr ? usual : std::atoi(asked);
}

/// Which of them this process takes, so that several may share a long look:
/// CONOSCOPE_TEST_SHARE=2/3 is the second of three.
struct Share {
  std::uint64_t first = 0, of = 1;
};

inline Share share() {
  const char* asked = std::getenv("CONOSCOPE_TEST_SHARE");
  Share out;
  if (asked == nullptr) return out;
  REQUIRE(std::sscanf(asked, "%" SCNu64 "/%" SCNu64, &out.first, &out.of) == 2);
  REQUIRE((1 <= out.first && out.first <= out.of));
  --out.first;
  return out;
}

/// Two explainers of the digits that ship, two seeds: 4 cells.
inline std::string small_run() {
  return digits_run("seeds = [0, 1]\nmetrics = [\"surf_mae\", \"surf_top1\"]", {"perfect", "svd"});
}

}  // namespace conoscope::testing
