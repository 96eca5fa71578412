// SPDX-License-Identifier: Apache-2.0
// board select-k and board curve after a real sweep, with numbers of concepts that are too large.

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

/// svd takes the 60 training rows of a class as they are: 61 concepts are refused. No randomness.
std::string sweep_run(const std::string& ks) {
  std::string text = digits_run(
      "seeds = [0, 1]\nmetrics = [\"surf_mae\", \"completeness\", \"surf_params\", "
      "\"effective_concepts\"]",
      {"svd", "perfect"});
  text.insert(text.find("id = \"svd\""), "params = { k = " + ks + " }\n");
  return text;
}

}  // namespace

TEST_CASE("board select-k: a K that is refused says why, and the others are judged") {
  const Workspace here;
  here.run_text(sweep_run("[1, 2, 4, 61]"), {"-j", "2"}, 4);  // some failed, none crashed
  CHECK_SAYS(here.run({"status"}).out, "fewer than k = 61 concepts");
  const Json outcomes = here.query("SELECT status, count(*) AS n FROM attempt GROUP BY status");
  REQUIRE(outcomes.size() == 2);
  CHECK(outcomes[0]["status"] == "failed");
  CHECK(outcomes[0]["n"] == 2);
  CHECK(outcomes[1]["status"] == "ok");

  const Json rows = here.json({"board", "select-k"});
  REQUIRE(rows.size() == 2);  // costs have no best number of concepts
  const Json& mae = rows[0];
  CHECK(mae["method"] == "svd");
  CHECK(mae["metric"] == "surf_mae");
  CHECK(mae["better"] == "lower");
  CHECK(mae["k"] == 4);
  CHECK(mae["best_k"] == 4);
  CHECK(mae["rule"] == "1pct");  // both seeds are alike
  CHECK(mae["seeds"] == 2);
  CHECK(mae["complete_n"] == 3);
  CHECK(mae["complete_asked"] == 4);
  CHECK(mae["k_range"] == "1-4");
  CHECK_FALSE(mae.contains("curve"));
  CHECK(rows[1]["metric"] == "completeness");
  CHECK_SAYS(here.run({"board", "select-k"}).out, "·");

  // The curve holds the same numbers, and their trapezoids make the area.
  const Json curve = here.json({"board", "curve", "-m", "surf_mae"});
  REQUIRE(curve.size() == 4);
  CHECK(curve[3]["k"] == 61);
  CHECK(curve[3]["mean"].is_null());
  CHECK(curve[3]["seeds_asked"] == 2);
  CHECK(curve[2]["mean"] == mae["best"]);
  CHECK(curve[2]["low"] == curve[2]["high"]);
  const double one = curve[0]["mean"], two = curve[1]["mean"], four = curve[2]["mean"];
  CHECK(mae["area"].get<double>() ==
        doctest::Approx(((one + two) / 2 + (two + four)) / 3).epsilon(1e-12));
  for (const char* format : {"table", "csv", "ndjson", "md", "latex"})
    for (const char* kind : {"select-k", "curve"})
      CHECK_SAYS(here.run({"board", kind, "--format", format}).out, "svd");
}

TEST_CASE("board select-k: what has no answer") {
  const Workspace here;
  here.run_text(sweep_run("[1, 2]"), {"--only", "seed=0"});
  CHECK_SAYS(here.run({"board", "select-k", "--explainer", "perfect"}, 2).err,
             "no explainer here with two or more numbers of concepts, as the plugins");
  for (const char* kind : {"select-k", "curve"})
    CHECK_SAYS(
        here.run({"board", kind, "--k-param", "breadth"}, 2).err,
        std::string("board ") + kind +
            ": no explainer here with two or more numbers of concepts, as --k-param breadth");
  CHECK_SAYS(here.run({"board", "ranking", "--k-param", "k"}, 2).err, "--k-param goes with");
  CHECK_SAYS(here.run({"board", "select-k", "-m", "surf_emd"}, 2).err, "asked for:");
  // Seed 1 was asked for too: nothing is complete yet, and nothing is chosen.
  const Json rows = here.json({"board", "select-k", "-m", "surf_mae"});
  CHECK(rows[0]["k"].is_null());
  CHECK(rows[0]["complete_n"] == 0);
  // Asked for by name, a cost is judged too.
  CHECK(here.json({"board", "select-k", "-m", "surf_params"}).size() == 1);
}

TEST_CASE("board budget: each method at its largest K within the budget") {
  const Workspace here;
  here.run_text(sweep_run("[1, 2, 4, 8]"), {"-j", "2"});
  const Json rows = here.json({"board", "budget", "--budget", "5", "-m", "surf_mae"});
  REQUIRE(rows.size() == 1);  // perfect has no K
  CHECK(rows[0]["rank"] == 1);
  CHECK(rows[0]["k"] == 4);
  CHECK(rows[0]["used"] == 4);
  CHECK(rows[0]["surf_mae"] == here.json({"board", "curve", "-m", "surf_mae"})[2]["mean"]);
  CHECK_SAYS(here.run({"board", "budget", "--budget", "0.5"}).out,
             "svd uses 1.000 or more, at every K");
  CHECK_SAYS(here.run({"board", "budget"}, 2).err, "--budget N is missing");
  CHECK_SAYS(here.run({"board", "curve", "--budget", "5"}, 2).err, "--budget goes with");
  // What an explanation uses stands beside its scores.
  CHECK_SAYS(here.run({"board"}).out, "effective_concepts");
  CHECK_FALSE(has(here.run({"board", "-m", "surf_mae"}).out, "effective_concepts"));
}

TEST_CASE("board budget: runs that asked for different metrics are on one board") {
  const Workspace here;
  const auto asks = [&](const std::string& explainer, const std::string& metrics) {
    std::string text =
        digits_run("metrics = [\"effective_concepts\", " + metrics + "]", {explainer});
    text.insert(text.find("id = \"" + explainer), "params = { k = [2, 3] }\n");
    const auto file = here.write(explainer + ".toml", text);
    here.run({"run", file, "--no-board", "-j", "2"});
  };
  asks("kmeans", "\"surf_mae\", \"completeness\"");
  asks("svd", "\"completeness\"");
  for (const bool longer_first : {true, false}) {
    const std::string first = longer_first ? "surf_mae" : "completeness";
    const std::string second = longer_first ? "completeness" : "surf_mae";
    const Json rows =
        here.json({"board", "budget", "--all", "-m", first, "-m", second, "--budget", "5"});
    REQUIRE(rows.size() == 2);
    for (const Json& row : rows) {
      const bool both = row["method"] == "kmeans";
      CHECK(row["surf_mae"].is_number() == both);
      CHECK(row["completeness"].is_number());
      CHECK(row["rank"].is_number() == (both || !longer_first));
    }
  }
}

TEST_CASE("the run file of the sweep is found and asks for what it says") {
  const Workspace here;
  const auto plan = here.run({"plan", "parsimony"}).out;
  CHECK_SAYS(plan, "1 datasets, 1 models, 275 explainers, 3 seeds");
  CHECK_SAYS(plan, "825 cells: 0 done");
}
