// SPDX-License-Identifier: Apache-2.0
// What will not fit the limits or the disk is said before it is tried.

#include "tests/harness/app/workspace.h"
#include "tests/support/npy_bytes.h"

using namespace conoscope::testing;

TEST_CASE("activations larger than the limit, and cells that held more before, are named") {
  const Workspace here;
  here.write("a.npy", npy_bytes<float>("<f4", "(4, 2)", {1, 2, 3, 4, 5, 6, 7, 8}));
  here.write("w.npy", npy_bytes<float>("<f4", "(2, 2)", {1, 0, 0, 1}));
  here.write("b.npy", npy_bytes<float>("<f4", "(2,)", {0, 0}));
  const auto with_limit = [&](const std::string& memory, const std::string& seeds = "[0]") {
    return here.write(
        "run.toml",
        "seeds = " + seeds + "\nmetrics = [\"surf_mae\"]\nlimits = { memory = " + memory +
            " }\n[[dataset]]\nid = \"precomputed\"\nname = \"mine\"\n"
            "params = { activations = \"a.npy\", head_weight = \"w.npy\", head_bias = \"b.npy\" }\n"
            "[[model]]\nid = \"precomputed\"\n[[explainer]]\nid = \"perfect\"\n");
  };
  // A header of 70 bytes and 8 numbers.
  CHECK_SAYS(here.run({"plan", with_limit("100")}).out,
             "will not fit: mine / precomputed / perfect maps activations of 102 bytes; "
             "limits.memory allows 100 bytes\n");
  CHECK_SAYS(here.run({"plan", with_limit("\"1 GiB\", cache = 100")}).out,
             "maps activations of 102 bytes; limits.cache allows 100 bytes\n");
  const auto file = with_limit("\"1 GiB\"");
  CHECK_SAYS(here.run({"plan", file, "--cache", "/proc/none"}).out,
             "will not fit: the run makes 102 bytes, and /proc/none has room for 0 bytes; choose ");
  CHECK_FALSE(has(here.run({"plan", file}).out, "will not fit"));
  const auto run = here.run({"run", file, "--no-board"});
  CHECK(run.code == 0);
  CHECK_FALSE(has(run.err, "will not fit"));
  const auto tight = with_limit("\"2 MiB\"");
  CHECK_FALSE(has(here.run({"plan", tight}).out, "will not fit"));  // nothing is to do
  const auto other = with_limit("\"2 MiB\"", "[0, 1]");
  const std::string plan = here.run({"plan", other}).out;
  CHECK_SAYS(plan, "will not fit: mine / precomputed / perfect held ");
  CHECK_SAYS(plan, " MiB before; limits.memory allows 2.0 MiB\n");
  CHECK_SAYS(here.conoscope({"run", other, "--no-board"}).run().err,
             "warning: will not fit: mine / ");
}
