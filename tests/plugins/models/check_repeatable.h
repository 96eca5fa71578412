// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "tests/support/plugin_driver.h"

namespace conoscope::testing {

/// The same seed gives the same bits whatever the host's threads; another seed, another `array`.
inline void check_repeatable(const Plugin& plugin, const Arguments& arguments, const Bundle& data,
                             const std::string& array) {
  Host host;
  const Outcome first = plugin.fit_model(arguments, data, host);
  REQUIRE(first.error == "");
  host.threads = 2;
  CHECK((first.out == plugin.fit_model(arguments, data, host).out));
  host.seed = 1;
  const Outcome other = plugin.fit_model(arguments, data, host);
  CHECK_FALSE((first.out.arrays.at(array) == other.out.arrays.at(array)));
}

}  // namespace conoscope::testing
