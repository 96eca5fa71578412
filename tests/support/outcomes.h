// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests ask of a plugin's outcome.

#include <doctest/doctest.h>

#include <string>

#include "tests/support/plugin_driver.h"

namespace conoscope::testing {

/// What a dataset loads at a seed, which it has to.
inline Bundle loaded(const Plugin& plugin, const Arguments& arguments, std::uint64_t seed = 0) {
  Host host;
  host.seed = seed;
  const Outcome outcome = plugin.load(arguments, host);
  REQUIRE(outcome.error == "");
  REQUIRE(outcome.status == CONO_OK);
  return outcome.out;
}

/// A call that failed with this status and with this text, the whole of it.
inline void check_fault(const Outcome& outcome, cono_status status, const std::string& error) {
  CAPTURE(error);
  CHECK(outcome.status == status);
  CHECK(outcome.error == error);
}

/// The caller's fault, said in words that contain `part`.
inline void check_refused(const Outcome& outcome, const std::string& part) {
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CAPTURE(outcome.error);
  CAPTURE(part);
  CHECK(outcome.error.find(part) != std::string::npos);
}

}  // namespace conoscope::testing
