// SPDX-License-Identifier: Apache-2.0
// board sanity on stores that are written here, so that every verdict is a matter of the numbers.

#include <cmath>
#include <map>

#include "results/store/store.h"
#include "tests/harness/app/workspace.h"
#include "tests/results/sample.h"

using namespace conoscope::testing;
namespace results = conoscope::results;

namespace {

const std::vector<std::string> kSettings = {"perfect", "random_importance", "random_concepts"};

/// A run of the three settings with seeds 1 and 2; a metric's means in their order, NaN: undefined.
using Means = std::map<std::string, std::vector<double>>;

void write_store(const std::string& file, const Means& means, const std::string& run = "run",
                 const std::vector<std::string>& settings = kSettings,
                 const std::string& dataset = "d", int created = 0) {
  const std::map<std::string, std::string> directions = {
      {"surf_mae", "lower"},    {"surf_emd", "lower"},   {"surf_top1", "higher"},
      {"surf_params", "lower"}, {"surf_flops", "lower"}, {"of_a_plugin", "higher"}};
  auto store = results::Store::open(file, results::Mode::kReadWrite);
  store.add_environment(sample::kHere);
  std::vector<results::ComponentRow> components = {sample::component("dataset", dataset),
                                                   sample::component("model", "m")};
  std::vector<results::CellRow> cells;
  for (const auto& setting : settings) {
    components.push_back(sample::component("explainer", setting));
    for (const int seed : {1, 2}) cells.push_back(sample::cell(dataset, "m", setting, seed));
  }
  std::vector<results::MetricKeyRow> metrics;
  for (const auto& [name, ignored] : means) {
    metrics.push_back(sample::metric(name, directions.at(name)));
    if (name == "surf_params") metrics.back().unit = "parameters";
    if (name == "surf_flops") metrics.back().unit = "FLOP per sample";
  }
  store.register_run({run, run, "[run]", sample::at(created)}, components, cells, metrics);
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (const int seed : {1, 2}) {
      std::vector<results::ScoreRow> scores;
      for (const auto& [name, values] : means) {
        // The seeds lie on both sides of the mean.
        const double value = values.at(i) + (seed == 1 ? 0.0625 : -0.0625);
        scores.push_back(std::isnan(value) ? results::ScoreRow{name, std::nullopt, "undefined"}
                                           : results::score_row(name, value));
      }
      const std::string key = sample::key_of(dataset, "m", settings[i], seed);
      store.record(sample::attempt(run + key, key, 0, results::Status::ok, run), scores);
    }
}

std::map<std::string, Json> sanity(const Workspace& here, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"board", "sanity"});
  std::map<std::string, Json> out;
  for (const auto& row : here.json(more)) out[row["measure"]] = row;
  return out;
}

}  // namespace

TEST_CASE("board sanity: a measure passes where each setting is worse than the one before") {
  const Workspace here;
  write_store(here.store(), {{"surf_mae", {0.25, 1, 2}}, {"surf_top1", {1, 0.75, 0.5}}});
  auto rows = sanity(here);
  REQUIRE(rows.size() == 2);
  CHECK(rows["surf_mae"]["verdict"] == "pass");
  CHECK(rows["surf_top1"]["verdict"] == "pass");
  CHECK(rows["surf_mae"]["Perfect"] == 0.25);  // means over the seeds
  CHECK(rows["surf_mae"]["Rand Imp"] == 1.0);
  CHECK(rows["surf_mae"]["Full Rand"] == 2.0);
  CHECK(rows["surf_mae"]["better"] == "lower");
  CHECK(rows["surf_top1"]["better"] == "higher");
  CHECK_FALSE(rows["surf_mae"].contains("dataset"));
}

TEST_CASE("board sanity: which step is wrong, in the measure's direction") {
  const Workspace here;
  write_store(here.store(), {{"surf_mae", {1, 0.5, 2}}, {"surf_top1", {1, 0.5, 0.75}}});
  auto rows = sanity(here);
  CHECK(rows["surf_mae"]["verdict"] == "fail: random importances are not worse");
  CHECK(rows["surf_top1"]["verdict"] == "fail: random concepts are not worse");
  const Workspace other;
  write_store(other.store(), {{"surf_mae", {1, 1, 2}}, {"surf_top1", {0.5, 0.75, 1}}});
  rows = sanity(other);
  CHECK(rows["surf_mae"]["verdict"] == "fail: blind to importances");
  CHECK(rows["surf_top1"]["verdict"] == "fail: random importances are not worse");
}

TEST_CASE("board sanity: rounding is no difference, 1e-9 of the largest mean is the bound") {
  const Workspace here;
  write_store(here.store(), {{"surf_mae", {1, 1 + 1e-10, 2}}, {"surf_emd", {1, 1 + 1e-8, 2}}});
  auto rows = sanity(here);
  CHECK(rows["surf_mae"]["verdict"] == "fail: blind to importances");
  CHECK(rows["surf_emd"]["verdict"] == "pass");
}

TEST_CASE("board sanity: no verdict without a mean, nor for costs; a plugin's metric has one") {
  const Workspace here;
  write_store(here.store(), {{"surf_mae", {0.25, NAN, 2}},
                             {"surf_params", {1, 2, 3}},
                             {"surf_flops", {1, 2, 3}},
                             {"of_a_plugin", {3, 2, 1}}});
  auto rows = sanity(here);
  REQUIRE(rows.size() == 4);
  CHECK(rows["surf_mae"]["Rand Imp"].is_null());
  CHECK(rows["surf_mae"]["Full Rand"] == 2.0);
  for (const char* name : {"surf_mae", "surf_params", "surf_flops"})
    CHECK_MESSAGE(rows[name]["verdict"].is_null(), name);
  CHECK(rows["of_a_plugin"]["Perfect"] == 3.0);
  CHECK(rows["of_a_plugin"]["verdict"] == "pass");
  CHECK_SAYS(here.run({"board", "sanity", "-m", "surf_mae"}).out,
             "surf_mae  lower    0.2500         -      2.000  -");
}

TEST_CASE("board sanity: a setting that the run lacks is named") {
  for (const auto& absent : kSettings) {
    const Workspace here;
    std::vector<std::string> present = kSettings;
    std::erase(present, absent);
    write_store(here.store(), {{"surf_mae", {1, 2}}}, "run", present);
    CHECK_SAYS(here.run({"board", "sanity"}, 2).err, "the run has no explainer " + absent + ";");
  }
}

TEST_CASE("board sanity: several subjects lead their rows") {
  const Workspace here;
  write_store(here.store(), {{"surf_mae", {1, 2, 3}}}, "run", kSettings, "d");
  write_store(here.store(), {{"surf_mae", {3, 2, 1}}}, "run", kSettings, "e");
  const Json rows = here.json({"board", "sanity"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["dataset"] == "d");
  CHECK(rows[0]["model"] == "m");
  CHECK(rows[0]["verdict"] == "pass");
  CHECK(rows[1]["dataset"] == "e");
  CHECK(rows[1]["verdict"] == "fail: random importances are not worse");
}

TEST_CASE("board sanity: explainers of other parameters are a ladder of their own") {
  const Workspace here;
  const std::string of_five =
      here.write("five.toml",
                 "name = \"five\"\nseeds = [0, 1]\nmetrics = [\"surf_mae\", \"attack_importance\", "
                 "\"effective_concepts\"]\n[[dataset]]\nid = \"precomputed\"\nname = \"digits\"\n"
                 "params = { archive = \"" CONOSCOPE_TEST_DIGITS
                 "\" }\n[[model]]\nid = "
                 "\"precomputed\"\n[[explainer]]\nid = \"perfect\"\nparams = { k = [1, 5] }\n"
                 "[[explainer]]\nid = \"random_importance\"\nparams = { k = [1, 5] }\n"
                 "[[explainer]]\nid = \"random_concepts\"\nparams = { k = [1, 5] }\n");
  here.run({"run", of_five, "--no-board"});
  std::map<std::string, Json> one, five;
  for (const auto& row : here.json({"board", "sanity"})) {
    CAPTURE(row);
    REQUIRE((row["model"] == "precomputed" || row["model"] == "precomputed, k=5"));
    (row["model"] == "precomputed" ? one : five)[row["measure"]] = row;
  }
  CHECK(one["surf_mae"]["verdict"] == "pass");
  CHECK(five["surf_mae"]["verdict"] == "pass");
  CHECK(five["surf_mae"]["Perfect"].get<double>() <
        1e-9);  // the parts add up to the head's weights
  CHECK(one["effective_concepts"]["Perfect"] == 1.0);
  CHECK(five["effective_concepts"]["Full Rand"] == 5.0);
  CHECK(one.count("attack_importance") == 0);  // one concept has no order
  // Noise changes the order of the perfect parts, no silent move does.
  CHECK(five["attack_importance"]["Perfect"].get<double>() < 0.0);
  CHECK(five["attack_importance"]["Full Rand"].get<double>() > 0.0);
}

TEST_CASE("board sanity: one run, the newest or a named one") {
  const Workspace here;
  write_store(here.store(), {{"surf_mae", {1, 2, 3}}}, "first", kSettings, "d", 0);
  write_store(here.store(), {{"surf_mae", {3, 2, 1}}}, "second", kSettings, "e", 9);
  CHECK(sanity(here)["surf_mae"]["Perfect"] == 3.0);
  auto rows = sanity(here, {"first"});
  CHECK(rows["surf_mae"]["Perfect"] == 1.0);
}

TEST_CASE("board sanity: options that do not go together, and what is not there") {
  const Workspace here;
  write_store(here.store(), {{"surf_mae", {1, 2, 3}}});
  CHECK_SAYS(here.run({"board", "sanity", "--all", "-m", "surf_mae"}, 2).err, "leave out --all");
  CHECK_SAYS(here.run({"board", "sanity", "--model", "m"}, 2).err, "leave out --dataset");
  CHECK_SAYS(here.run({"board", "--sanity"}, 2).err,
             "--sanity is a kind now: conoscope board sanity [RUN]");
  CHECK_SAYS(here.run({"board", "sanitty", "run"}, 2).err,
             "no kind sanitty (did you mean sanity?)");
  CHECK_SAYS(here.run({"board", "sanity", "--k-param", "k"}, 2).err, "--k-param goes with");
  CHECK_SAYS(here.run({"board", "sanity", "-m", "surf_emd"}, 2).err, "asked for: surf_mae");
}

namespace {

/// A run of one ladder of models with seeds 1 and 2; three values for each seed.
void write_ladder(const std::string& file, const std::string& metric, const std::string& direction,
                  const std::vector<std::vector<double>>& by_seed, const std::string& run = "steps",
                  const std::string& disturbance = "mixed", int created = 0) {
  auto store = results::Store::open(file, results::Mode::kReadWrite);
  store.add_environment(sample::kHere);
  std::vector<results::ComponentRow> components = {sample::component("dataset", "d")};
  std::vector<results::CellRow> cells;
  std::vector<std::string> models;
  for (const char* step : {"perfect", "half", "random"}) {
    auto model = sample::component("model", run + disturbance + step);
    model.plugin_id = "ladder_concepts";
    model.params = "disturbance=\"" + disturbance + "\";step=\"" + step + "\";width=1";
    components.push_back(model);
    models.push_back(model.key);
    for (const int seed : {1, 2})
      cells.push_back({run + model.key + std::to_string(seed), "d", model.key, "", seed, "none"});
  }
  const std::vector<results::MetricKeyRow> metrics = {sample::metric(metric, direction)};
  store.register_run({run, run, "[run]", sample::at(created)}, components, cells, metrics);
  for (std::size_t i = 0; i < models.size(); ++i)
    for (const int seed : {1, 2}) {
      const std::string key = run + models[i] + std::to_string(seed);
      const double value = by_seed.at(static_cast<std::size_t>(seed - 1)).at(i);
      store.record(sample::attempt(key, key, 0, results::Status::ok, run),
                   std::vector<results::ScoreRow>{results::score_row(metric, value)});
    }
}

}  // namespace

TEST_CASE("board sanity: ladders of models, judged seed by seed") {
  const auto verdict_of = [](const std::vector<std::vector<double>>& by_seed) {
    const Workspace here;
    write_ladder(here.store(), "icl", "lower", by_seed);
    const Json rows = here.json({"board", "sanity"});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["ladder"] == "ladder_concepts(disturbance=mixed,width=1)");
    CHECK(rows[0]["dataset"] == "d");
    return rows[0]["verdict"].get<std::string>();
  };
  CHECK(verdict_of({{0, 1, 2}, {0.5, 1.5, 2.5}}) == "pass");
  CHECK(verdict_of({{1, 1, 1}, {2, 2, 2}}) == "fail: blind");
  CHECK(verdict_of({{0, 1, 1}, {0, 1, 1}}) == "fail: random is not worse than half");
  CHECK(verdict_of({{1, 0, 2}, {1, 0, 2}}) == "fail: half is not worse than perfect");
  // Worse on average, but the two seeds do not agree: 1 +- 1 is within two standard errors.
  CHECK(verdict_of({{0, 0, 3}, {0, 2, 5}}) == "fail: half is not worse than perfect");

  const Workspace here;
  write_ladder(here.store(), "icl", "lower", {{0, 1, 2}, {0, 1, 2}});
  const std::string text = here.run({"board", "sanity"}).out;
  for (const char* heading : {"Perfect", "Half", "Random"}) CHECK_SAYS(text, heading);
}

TEST_CASE("board marks what keeps the order of no ladder, until a newer run says otherwise") {
  const Workspace here;
  write_ladder(here.store(), "icl", "lower", {{2, 1, 0}, {2, 1, 0}}, "first", "mixed", 0);
  Ended board = here.run({"board", "first"});
  CHECK_SAYS(board.out, "icl (!)");
  CHECK_SAYS(
      board.err,
      "(!) icl does not tell better from worse on the sanity ladders: `conoscope board sanity "
      "first -m icl`");
  // Machines read names only.
  CHECK_FALSE(has(here.run({"board", "first", "--format", "csv"}).out, "(!)"));
  // One ladder kept is enough.
  write_ladder(here.store(), "icl", "lower", {{0, 1, 2}, {0, 1, 2}}, "second", "mixed", 9);
  board = here.run({"board", "first"});
  CHECK_FALSE(has(board.out + board.err, "(!)"));
}
