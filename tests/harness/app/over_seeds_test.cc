// SPDX-License-Identifier: Apache-2.0
// Metrics over seeds: scored once the peers are there, also when these come from another store, and
// again when peers are added or taken away.

#include <filesystem>
#include <map>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

std::string run_file(const Workspace& here, const std::string& seeds,
                     const std::string& metrics = "\"surf_mae\", \"stability\"") {
  return here.write(
      "run.toml", digits_run("name = \"run\"\nseeds = " + seeds + "\nmetrics = [" + metrics + "]\n",
                             {"kmeans"}));
}

Ended run(const Workspace& here, const std::string& file, std::vector<std::string> more = {},
          int code = 0) {
  more.insert(more.begin(), {"run", file, "--no-board"});
  return here.run(more, code);
}

/// By seed: the score that counts, of the real cells.
std::map<int, double> scores(const Workspace& here, const std::string& metric = "stability") {
  std::map<int, double> out;
  for (const auto& row : here.query(
           "SELECT seed, value FROM current_score JOIN cell ON cell.key = cell AND control = "
           "'none' WHERE value IS NOT NULL AND metric = '" +
           metric + "'"))
    out[row["seed"]] = row["value"];
  return out;
}

}  // namespace

TEST_CASE("over seeds: scored after the cells, once, and a further seed scores all again") {
  const Workspace here;
  const std::string all =
      "\"surf_mae\", \"stability\", \"stability_null\", \"stability_reappearing\", "
      "\"stability_importance\", \"stability_overlap\", \"stability_other_output\"";
  CHECK_SAYS(run(here, run_file(here, "[0, 1]", all)).err, "2 cells to compare with other seeds");
  const auto two = scores(here);
  REQUIRE(two.size() == 2);
  CHECK(two.at(0) == two.at(1));  // the same pair from either side
  CHECK(two.at(0) > scores(here, "stability_null").at(0));
  CHECK(two.at(0) <= 1.0);
  CHECK(scores(here, "stability_overlap").at(0) <= 1.0);
  CHECK(scores(here, "stability_importance").size() == 2);
  CHECK(here.count("attempt") == 4);
  CHECK(here.query("SELECT DISTINCT state FROM cell_state") == Json::parse(R"([{"state": "ok"}])"));

  const Ended again = run(here, run_file(here, "[0, 1]", all));
  CHECK_SAYS(again.err, "0 to do now");
  CHECK_FALSE(has(again.err, "to compare"));
  CHECK(here.count("attempt") == 4);

  CHECK_SAYS(run(here, run_file(here, "[0, 1, 2]", all)).err,
             "3 cells to compare with other seeds");
  const auto three = scores(here);
  REQUIRE(three.size() == 3);
  CHECK(three.at(0) != two.at(0));
  // The parts are the comparisons, by the peers' seeds: that with seed 1 is known.
  const Json parts = here.query(
      "SELECT part.value FROM sample_score AS part JOIN current_score AS current "
      "ON current.attempt = part.attempt AND current.metric = part.metric "
      "JOIN cell ON cell.key = current.cell WHERE part.metric = 'stability' AND seed = 0 "
      "ORDER BY part");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0]["value"] == two.at(0));
  // The run that asked for two seeds has what compares with three, and nothing to do.
  CHECK_FALSE(has(run(here, run_file(here, "[0, 1]", all)).err, "to compare"));

  const std::string cell = here.query("SELECT key FROM cell WHERE seed = 0")[0]["key"];
  const Json shown = here.json({"show", cell});
  CHECK(shown["attempts"][0]["compared_with_seeds"] == "1 2");
  const Ended verified = here.run({"verify", "--format", "json"});
  CHECK_SAYS(verified.err, "6 cells: 6 the same bit for bit");

  // Who no longer counts is no longer compared with.
  const std::string gone = here.query("SELECT key FROM cell WHERE seed = 2")[0]["key"];
  here.run({"retract", gone, "--reason", "a mistake"});
  run(here, run_file(here, "[0, 1]", all));
  CHECK(scores(here).at(0) == two.at(0));
}

TEST_CASE("over seeds: what two stores have is compared after the merge, also without the cache") {
  const Workspace a, b, whole;
  CHECK_SAYS(run(a, run_file(a, "[0, 1]"), {"--only", "seed=0"}).err,
             "1 cell waits for other seeds");
  CHECK(scores(a).empty());
  CHECK(a.query("SELECT state FROM cell_state ORDER BY state")[1]["state"] == "unscored");
  CHECK_FALSE(has(run(b, run_file(b, "[0, 1]"), {"--shard", "1/2"}).err, "compare"));
  run(b, run_file(b, "[0, 1]"), {"--shard", "2/2"});
  CHECK(scores(b).empty());
  a.run({"merge", b.store()});
  fs::remove_all(a.cache());
  CHECK_SAYS(run(a, run_file(a, "[0, 1]")).err, "2 cells to compare with other seeds");
  run(whole, run_file(whole, "[0, 1]"));
  CHECK(scores(a).size() == 2);
  CHECK(scores(a) == scores(whole));
  CHECK(a.exported() == whole.exported());
}

TEST_CASE("over seeds: alone, without the cells that are left") {
  const Workspace here;
  const auto file = run_file(here, "[0, 1, 2]");
  CHECK_SAYS(run(here, file, {"--over-seeds", "--shard", "1/2"}, 2).err,
             "--over-seeds cannot be combined with --shard or --prepare");
  CHECK_FALSE(fs::exists(here.store()));
  for (const char* shard : {"1/3", "2/3"}) run(here, file, {"--shard", shard});
  const Ended alone = run(here, file, {"--over-seeds"});
  CHECK_SAYS(alone.err, "2 cells to compare with other seeds");
  CHECK_SAYS(alone.err, "\n2 ok in ");
  CHECK(scores(here).size() == 2);
  CHECK(here.count("attempt") == 4);  // the third cell is left
  CHECK_FALSE(has(run(here, file, {"--over-seeds"}).err, "to compare"));
  run(here, file);
  CHECK(scores(here).size() == 3);

  const auto one = run_file(here, "[0]");
  CHECK_SAYS(run(here, one, {"--over-seeds"}, 2).err,
             "--over-seeds: run asks for no metric over seeds, or has one seed");
}

TEST_CASE("over seeds: a control is compared with the same control of other seeds") {
  const Workspace here;
  const std::string file = here.write(
      "run.toml",
      digits_run("name = \"run\"\nseeds = [0, 1, 2]\ncontrols = [\"none\", \"random_concepts\"]\n"
                 "metrics = [\"stability\", \"stability_null\", \"stability_overlap\"]\n",
                 {"perfect", "random_importance", "random_concepts"}));
  run(here, file);
  const auto mean = [&](const std::string& explainer, const std::string& metric,
                        const std::string& control = "none") {
    const Json row = here.query(
        "SELECT avg(value) AS mean FROM current_score JOIN cell ON cell.key = cell "
        "JOIN component ON component.key = explainer WHERE metric = '" +
        metric + "' AND plugin_id = '" + explainer + "' AND control = '" + control + "'");
    return row[0]["mean"].get<double>();
  };
  CHECK(mean("perfect", "stability") > 1 - 1e-9);
  CHECK(mean("random_importance", "stability") > 1 - 1e-9);
  CHECK(mean("random_concepts", "stability") < 2 * mean("random_concepts", "stability_null"));
  CHECK(mean("perfect", "stability", "random_concepts") <
        2 * mean("perfect", "stability_null", "random_concepts"));
  CHECK(mean("perfect", "stability_overlap") > mean("random_importance", "stability_overlap"));
  CHECK(mean("random_importance", "stability_overlap") >
        mean("random_concepts", "stability_overlap"));
  std::map<std::string, std::string> verdicts;
  for (const auto& row : here.json({"board", "sanity"}))
    if (row["verdict"].is_string()) verdicts[row["measure"]] = row["verdict"];
  CHECK(verdicts["stability_overlap"] == "pass");

  // perfect is as stable as random_importance, and more of it overlaps.
  std::map<std::string, std::string> pareto;
  for (const auto& row : here.json({"board", "--pareto", "stability,stability_overlap"}))
    pareto[row["explainer"]] = row["pareto"];
  CHECK(pareto == std::map<std::string, std::string>{
                      {"perfect", "yes"}, {"random_importance", "no"}, {"random_concepts", "no"}});
  const auto refused = [&](const std::string& axes) {
    return here.run({"board", "--pareto", axes}, 2).err;
  };
  CHECK_SAYS(refused("stability"), "two metrics or more");
  CHECK_SAYS(refused("stability,stability_nul"), "did you mean stability_null");
  CHECK_SAYS(refused("stability,stability_null"), "which end of stability_null is better?");
  CHECK_SAYS(refused("stability:lower,stability_null:lower"), "the higher end is better");
  here.run({"board", "--pareto", "stability,stability_null:lower"});
  CHECK(verdicts["stability"] == "fail: blind to importances");
}
