// SPDX-License-Identifier: Apache-2.0
// What a plan says before anything is run, and that it changes nothing.

#include <filesystem>

#include "tests/harness/app/workspace.h"
#include "tests/support/content_of.h"
#include "tests/support/npy_bytes.h"

using namespace conoscope::testing;

TEST_CASE("a plan counts, skips with a reason, and writes nothing") {
  const Workspace here;
  // The digits dataset has images and no head view, so `precomputed` models do not fit it; samples
  // without labels have no view "labels".
  here.write("a.npy", npy_bytes<float>("<f4", "(4, 2)", {1, 2, 3, 4, 5, 6, 7, 8}));
  here.write("w.npy", npy_bytes<float>("<f4", "(2, 2)", {1, 0, 0, 1}));
  here.write("b.npy", npy_bytes<float>("<f4", "(2,)", {0, 0}));
  const auto file = here.write(
      "run.toml",
      "seeds = [0, 1]\nmetrics = [\"surf\"]\n"
      "[[dataset]]\nid = \"digits\"\n"
      "[[dataset]]\nid = \"precomputed\"\nname = \"mine\"\n"
      "params = { activations = \"a.npy\", head_weight = \"w.npy\", head_bias = \"b.npy\" }\n"
      "[[model]]\nid = \"precomputed\"\n[[explainer]]\nid = \"perfect\"\n");
  const std::string plan = here.run({"plan", file}).out;
  CHECK_SAYS(plan, "2 datasets, 1 models, 1 explainers, 2 seeds");
  CHECK_SAYS(plan, "2 cells: 0 done, 2 to do");
  CHECK_SAYS(plan, "skipped: digits x precomputed: missing head_view");
  CHECK_SAYS(plan, "skipped: mine x precomputed x perfect x surf_norm_l1: missing labels\n");
  CHECK_SAYS(plan, "estimate: none, some parts were never run");
  CHECK_FALSE(std::filesystem::exists(here.store()));
  CHECK_FALSE(std::filesystem::exists(here.cache()));

  CHECK_SAYS(here.run({"run", file, "--no-board", "--only", "seed=0"}).err,
             "3 combinations do not fit");
  const std::string after = here.run({"plan", file}).out;
  CHECK_SAYS(after, "2 cells: 1 done, 1 to do");
  CHECK_FALSE(has(after, "estimate: none"));
  CHECK_SAYS(after, " s of work, ");
  CHECK_SAYS(after, " MiB of memory for a worker, at most ");
  CHECK_SAYS(after, " bytes more in the cache, by what such cells took before");

  const Json cells = here.json({"plan", file, "--cells", "--only", "seed=0"});
  REQUIRE(cells.size() == 2);
  CHECK(cells[0]["state"] == "done");
  CHECK(cells[1]["state"] == "left out");
  CHECK(here.json({"plan", file, "--cells"})[1]["state"] == "to do");
  CHECK(cells[0]["dataset"] == "mine");
  CHECK(cells[0]["explainer"] == "perfect");

  here.run({"run", file, "--no-board"});
  const std::string finished = here.run({"plan", file}).out;
  CHECK_SAYS(finished, "2 cells: 2 done, 0 to do");
  CHECK_FALSE(has(finished, "estimate"));
  // The same cells, asked for by a run that the store does not know.
  const auto renamed = here.write("renamed.toml", "name = \"renamed\"\n" + content_of(file));
  CHECK_SAYS(here.run({"plan", renamed}).out, "2 cells: 2 done, 0 to do");
}

TEST_CASE("--dot is a graph in which what is done is grey") {
  const Workspace here;
  const auto file =
      here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"perfect", "svd"}));
  const auto graph = [&] { return here.run({"plan", file, "--dot"}).out; };
  const auto times = [](const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  const std::string fresh = graph();
  CHECK(fresh.rfind("digraph", 0) == 0);
  // dataset, model, two explanations, two scores; an explanation and a score need what is before.
  CHECK(times(fresh, "[label=") == 6);
  CHECK(times(fresh, "->") == 1 + 2 * 2 + 2 * 3);
  CHECK(times(fresh, "lightgrey") == 0);
  here.run({"run", file, "--no-board", "--only", "explainer=svd"});
  CHECK(times(graph(), "lightgrey") == 4);
  here.run({"run", file, "--no-board"});
  CHECK(times(graph(), "lightgrey") == 6);
}

TEST_CASE("every run file that ships can be planned, in each of its sizes") {
  const Workspace here;
  if (!here.can_train())
    SKIP_TEST("this build has no libtorch, and with it no models to be trained");
  std::size_t files = 0, profiles = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CONOSCOPE_TEST_RUNS)) {
    CAPTURE(entry.path().string());
    ++files;
    const std::string text = content_of(entry.path());
    const std::string plan = here.run({"plan", entry.path().stem().string()}).out;
    CHECK_FALSE(has(plan, " 0 cells"));
    for (const std::string profile : {"resnet", "paper", "authored"})
      if (has(text, ", \"" + profile + "\"")) {
        ++profiles;
        here.run({"plan", entry.path().stem().string(), "--profile", profile});
      }
  }
  CHECK(files > 8);
  CHECK(profiles > 8);
}
