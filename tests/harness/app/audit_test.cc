// SPDX-License-Identifier: Apache-2.0
// audit, and what board and compare take from it, on a store that is written here.

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "results/store/store.h"
#include "tests/harness/app/workspace.h"
#include "tests/results/sample.h"

using namespace conoscope::testing;
namespace results = conoscope::results;

namespace {

/// t(0.975, df) s sqrt(2 / S) of four entries with three seeds, each of the spread 0.1: 8 degrees of
/// freedom.
const double kReliable = 2.306004 * 0.1 * std::sqrt(2.0 / 3);

/// Entries whose seeds lie at -0.1, 0 and 0.1 around these means; the truth agrees. With `twin`, each has
/// one that is as good as it is.
void write_store(const Workspace& here, const std::string& control) {
  const std::map<std::string, double> means = {{"e", 0.9}, {"f", 0.6}, {"g", 0.55}, {"h", 0.1}};
  sample::Plan plan{.explainers = {},
                    .metrics = {sample::metric("surf_top1"), sample::metric("truth_f1")}};
  if (control != "truth_f1") plan.metrics.pop_back();
  if (control != "none" && control != "truth_f1") plan.controls = {"none", control};
  for (const auto& [name, mean] : means) plan.explainers.push_back(name);
  auto store = results::Store::open(here.store(), results::Mode::kReadWrite);
  sample::ask(store, plan);
  for (const auto& [name, mean] : means)
    for (const auto& of : plan.controls)
      for (int seed = 1; seed <= 3; ++seed) {
        std::vector<results::ScoreRow> scores = {
            results::score_row("surf_top1", mean + 0.1 * (seed - 2))};
        if (plan.metrics.size() > 1)
          scores.push_back(results::score_row("truth_f1", mean + 0.01 * (seed - 2)));
        const std::string cell = sample::key_of("d", "m", name, seed, of);
        store.record(sample::attempt(cell, cell), scores);
      }
}

}  // namespace

TEST_CASE("audit: one row for each metric, in every format") {
  const Workspace here;
  write_store(here, "truth_f1");
  const Json rows = here.json({"audit"});
  REQUIRE(rows.size() == 2);
  const Json& row = rows[0];
  CHECK(row["metric"] == "surf_top1");
  CHECK(row["dataset"] == "d");
  CHECK(row["entries"] == 4);
  CHECK(row["seeds"] == 3);
  CHECK(row["df"] == 8);
  CHECK(row["s"].get<double>() == doctest::Approx(0.1));
  CHECK(row["mrd"].get<double>() == doctest::Approx(kReliable).epsilon(1e-5));
  CHECK(row["pairs"] == 6);
  CHECK(row["told_apart"].get<double>() == doctest::Approx(5.0 / 6));
  CHECK(row["neighbours_apart"] == 2);
  CHECK(row["rho_truth_f1"].get<double>() == doctest::Approx(1.0));
  CHECK(row["n_truth_f1"] == 4);
  CHECK(row["truth_f1_remark"] == "not significant");  // four entries never are
  CHECK(row["rho_truth_mcc"].is_null());
  CHECK(row["with_twins"] == 0);
  CHECK(row["fails"].is_null());
  CHECK(here.json({"audit", "--seeds", "12", "-m", "surf_top1"})[0]["mrd"].get<double>() ==
        doctest::Approx(kReliable / 2).epsilon(1e-5));
  // For people short tables, whose differences are rounded up: 0.18828 is 0.19, 0.32612 is 0.33.
  const std::string text = here.run({"audit", "-m", "surf_top1"}).out;
  CHECK_SAYS(text, "smallest reliable differences\n");
  CHECK_SAYS(text, "0.19");
  CHECK_SAYS(text, "0.33");
  for (const char* format : {"csv", "md", "latex", "ndjson"})
    CHECK_SAYS(here.run({"audit", "--format", format}).out,
               format == std::string("latex") ? "surf\\_top1" : "surf_top1");
  const Json entries = here.json({"audit", "-m", "surf_top1", "--entries"});
  REQUIRE(entries.size() == 4);
  CHECK(entries[0]["explainer"] == "e");
  CHECK(entries[0]["mean"].get<double>() == doctest::Approx(0.9));
  CHECK(entries[0]["gap"].is_null());
}

TEST_CASE("audit: what it refuses, and where there is nothing") {
  const Workspace here;
  write_store(here, "none");
  CHECK_SAYS(here.run({"audit", "-m", "surf_top"}, 2).err, "no metric surf_top");
  CHECK_SAYS(here.run({"audit", "nothing"}, 2).err, "nothing");
  here.run({"audit", "--seeds", "0"}, 2);
  CHECK_SAYS(here.run({"audit", "--dataset", "x"}, 2).err, "no dataset \"x\"");
  const Workspace empty;
  results::Store::open(empty.store(), results::Mode::kReadWrite);
  CHECK_SAYS(empty.run({"audit"}, 2).err, "the store holds no run yet");
  sample::Plan plan;
  {
    auto store = results::Store::open(empty.store(), results::Mode::kReadWrite);
    sample::ask(store, plan);
  }
  CHECK_SAYS(empty.run({"audit"}, 4).err, "nothing to show");
}

TEST_CASE("audit --plot: lines of half a reliable difference on both sides") {
  const Workspace here;
  write_store(here, "untrained_dictionary");
  here.run({"audit", "-m", "surf_top1", "--plot", here.path("a.svg")});
  const Ended drawn =
      here.conoscope({"audit", "-m", "surf_top1", "--plot", here.path("a.pdf")}).run();
  CHECK(drawn.code == 2);
  CHECK_SAYS(drawn.err, "ends with .svg or .html");
}

TEST_CASE("board: where truth is known it says what it does not tell apart; elsewhere if asked") {
  const std::string line = "differences below 0.19 are not told apart by surf_top1 at 3 seeds";
  const Workspace here;
  write_store(here, "truth_f1");
  const std::string known = here.run({"board", "-m", "surf_top1"}).out;
  CHECK_SAYS(known, line);
  CHECK_SAYS(known, "rho with truth_f1 1.0, 4 entries,");
  CHECK_SAYS(known, "~ not told apart by this metric from the entry above");
  // f and g, and none else.
  CHECK(known.find(" ~\n") != known.npos);
  CHECK(known.find(" ~\n") == known.rfind(" ~\n"));
  CHECK_FALSE(has(here.run({"board", "-m", "surf_top1", "--format", "csv"}).out, "~"));
  CHECK_FALSE(
      has(here.run({"board", "--columns", "explainer,surf_top1", "--format", "md"}).out, line));

  const Workspace plain;
  write_store(plain, "random_concepts");
  CHECK_FALSE(has(plain.run({"board"}).out, "told apart"));
  const Ended asked = plain.run({"board", "--audit"});
  CHECK_SAYS(asked.out, line);
  CHECK_SAYS(asked.err, "(!) surf_top1 shows no learning (random_concepts): `conoscope audit");
  CHECK_SAYS(asked.out, "surf_top1 (!)");
  CHECK_SAYS(plain.run({"board", "sanity", "--audit"}, 2).err, "--audit goes with board ranking");

  const Workspace twins;
  write_store(twins, "untrained_dictionary");
  CHECK_SAYS(twins.run({"board"}).out, line);
}

TEST_CASE("compare: a difference that is found but smaller than a reliable one") {
  const Workspace here;
  {
    auto store = results::Store::open(here.store(), results::Mode::kReadWrite);
    sample::ask(store, {.explainers = {"e", "f"}, .metrics = {sample::metric("surf_top1")}});
    // The seeds do nearly the same to both: 0.01 +- 0.001 apart, each scattered by 0.1.
    for (const auto& [name, values] :
         {std::pair("e", std::vector{0.4, 0.5, 0.6}), {"f", std::vector{0.411, 0.51, 0.609}}})
      for (int seed = 1; seed <= 3; ++seed) {
        const std::string cell = sample::key_of("d", "m", name, seed);
        store.record(sample::attempt(cell, cell),
                     std::vector{results::score_row("surf_top1",
                                                    values[static_cast<std::size_t>(seed - 1)])});
      }
  }
  const Json rows = Json::parse(here.run({"compare", "f", "e", "--format", "json"}, 6).out);
  REQUIRE(rows.size() == 1);
  // s = 0.0995 with 4 degrees of freedom: 2.7764 s sqrt(2/3) = 0.2256.
  CHECK(rows[0]["verdict"] == "A better by 0.01, less than this metric tells apart (0.23)");
}
