// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/interpreter.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::Scratch;

TEST_CASE("an interpreter is asked for once, also where there is none") {
  const Scratch here;
  PluginFile plugin;
  plugin.file = here.write("plugin", "#!" + here.path("interpreter") + " -e\n");
  CHECK_THROWS_SAYING(interpreter_of(plugin), std::runtime_error, "interpreter: no such program");
  std::filesystem::permissions(here.write("interpreter", "#!/bin/sh\n"),
                               std::filesystem::perms::owner_all);
  CHECK_THROWS_SAYING(interpreter_of(plugin), std::runtime_error, "interpreter: no such program");
  plugin.file = here.write("other", "#!" + here.path("interpreter") + " -e\n");
  CHECK(interpreter_of(plugin).command ==
        std::vector<std::string>{here.path("interpreter"), "-e", here.path("other")});
}
