// SPDX-License-Identifier: Apache-2.0
// board correlation and compare --leakage-criterion, on stores that are written here.

#include <map>

#include "results/store/store.h"
#include "tests/harness/app/workspace.h"
#include "tests/results/sample.h"

using namespace conoscope::testing;
namespace results = conoscope::results;

namespace {

/// Models m0, m1, ... on one dataset, judged by themselves with two seeds; by metric, the mean of
/// each model. Seeds lie `spread` on both sides of it.
void write_store(const std::string& file, const std::map<std::string, std::vector<double>>& means,
                 double spread = 0.01) {
  auto store = results::Store::open(file, results::Mode::kReadWrite);
  store.add_environment(sample::kHere);
  const std::size_t models = means.begin()->second.size();
  std::vector<results::ComponentRow> components = {sample::component("dataset", "d")};
  std::vector<results::CellRow> cells;
  std::vector<results::MetricKeyRow> metrics;
  const auto name = [](std::size_t i) { return "m" + std::to_string(i); };
  for (std::size_t i = 0; i < models; ++i) {
    components.push_back(sample::component("model", name(i)));
    for (const int seed : {1, 2})
      cells.push_back({name(i) + "/" + std::to_string(seed), "d", name(i), "", seed, "none"});
  }
  for (const auto& [metric, ignored] : means) metrics.push_back(sample::metric(metric, "lower"));
  store.register_run({"run", "run", "[run]", sample::at(0)}, components, cells, metrics);
  for (std::size_t i = 0; i < models; ++i)
    for (const int seed : {1, 2}) {
      std::vector<results::ScoreRow> scores;
      for (const auto& [metric, values] : means)
        scores.push_back(results::score_row(metric, values[i] + (seed == 1 ? spread : -spread)));
      const std::string key = name(i) + "/" + std::to_string(seed);
      store.record(sample::attempt(key, key, 0, results::Status::ok, "run"), scores);
    }
}

}  // namespace

TEST_CASE("board correlation: means over seeds, from model to model") {
  const Workspace here;
  write_store(here.store(), {{"ctl", {0, 1, 2, 3, 4, 5}},
                             {"icl", {5, 4, 3, 2, 1, 0}},
                             {"ois", {1, 1, 1, 1, 1, 1}},
                             {"s_int", {0, 2, 4, 6, 8, 10}}});
  const Json rows = here.json({"board", "correlation", "--with", "s_int"});
  std::map<std::string, Json> by_metric;
  for (const auto& row : rows) by_metric[row["metric"]] = row;
  REQUIRE(by_metric.size() == 3);
  CHECK(by_metric["ctl"]["with"] == "s_int");
  CHECK(by_metric["ctl"]["subjects"] == 6);
  CHECK(by_metric["ctl"]["r"].get<double>() == doctest::Approx(1.0).epsilon(0.001));
  CHECK(by_metric["ctl"]["p"].get<double>() < 0.05);
  CHECK(by_metric["ctl"]["low"].get<double>() > 0.99);
  CHECK(by_metric["ctl"]["high"].get<double>() <= 1.0);
  CHECK(by_metric["icl"]["r"].get<double>() == doctest::Approx(-1.0).epsilon(0.001));
  // Nothing but noise around one value: no correlation to speak of.
  CHECK(by_metric["ois"]["p"].get<double>() > 0.5);
  CHECK(by_metric["ois"]["low"].get<double>() < -0.5);
  CHECK(by_metric["ois"]["high"].get<double>() > 0.5);
  CHECK(here.json({"board", "correlation", "--with", "s_int", "-m", "icl"}).size() == 1);
}

TEST_CASE("board correlation: without a row it says why, as a leaderboard does") {
  const Workspace here;
  write_store(here.store(), {{"ctl", {0, 1, 2, 3}}, {"s_int", {0, 2, 4, 6}}});
  {  // the only seed that is left says nothing of a mean's error
    auto store = results::Store::open(here.store(), results::Mode::kReadWrite);
    for (const char* attempt : {"m0/2", "m1/2", "m2/2", "m3/2"})
      store.retract(attempt, "another program was running", sample::at(1));
  }
  for (const std::string format : {"table", "csv"}) {
    const Ended none = here.run({"board", "correlation", "--with", "s_int", "--format", format}, 4);
    CHECK(none.out.empty());
    CHECK_SAYS(none.err, "nothing to show: nothing here has s_int and another of these metrics");
  }
}

TEST_CASE("board correlation: a run that asks for one metric") {
  const Workspace here;
  write_store(here.store(), {{"s_int", {0, 2, 4, 6}}});
  const Ended none = here.run({"board", "correlation", "--with", "s_int"}, 4);
  CHECK(none.out.empty());
  CHECK_SAYS(none.err, "nothing to show: this run asks for no metric but s_int");
}

TEST_CASE("board correlation: too few models have no r; what it refuses") {
  const Workspace here;
  write_store(here.store(), {{"ctl", {0, 1, 2}}, {"s_int", {0, 2, 4}}});
  const Json rows = here.json({"board", "correlation", "--with", "s_int"});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["subjects"] == 3);
  CHECK(rows[0]["r"].is_null());
  CHECK(rows[0]["message"] == "fewer than four subjects");
  CHECK_SAYS(here.run({"board", "correlation", "--with", "nis"}, 2).err, "asked for: ctl");
  CHECK_SAYS(here.run({"board", "correlation"}, 2).err, "--with NAME is missing");
  CHECK_SAYS(here.run({"board", "--with", "s_int"}, 2).err, "--with goes with board correlation");
  CHECK_SAYS(here.run({"board", "--correlate", "s_int"}, 2).err,
             "conoscope board correlation --with NAME");
  CHECK_SAYS(here.run({"board", "correlation", "--with", "s_int", "--all", "-m", "ctl"}, 2).err,
             "leave out --all");
}

TEST_CASE("board correlation: metrics that determine each other have an r of 1 and no interval") {
  const Workspace here;
  write_store(here.store(), {{"ctl", {0, 1, 2, 3}}, {"s_int", {0, 2, 4, 6}}}, 0.0);
  const Json rows = here.json({"board", "correlation", "--with", "s_int"});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["r"].is_null());
  CHECK_SAYS(rows[0]["message"].get<std::string>(), "|r| is 1");
}

TEST_CASE("compare --leakage-criterion: ctl and icl together") {
  const Workspace here;
  // Seeds lie 0.01 on both sides of these: 0.5 apart is significant, 0.005 is not.
  write_store(here.store(), {{"ctl", {0.5, 0.005, 0.0, 0.5}}, {"icl", {0.0, 0.005, 0.0, 0.5}}});
  const auto verdict = [&](const std::string& a, const std::string& b, int code) {
    const Json rows = Json::parse(
        here.run({"compare", a, b, "--leakage-criterion", "--format", "json"}, code).out);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["n_a"] == 2);
    return rows[0]["verdict"].get<std::string>();
  };
  CHECK(verdict("m0", "m2", 6) == "more in A");
  CHECK(verdict("m2", "m3", 6) == "more in B");
  CHECK(verdict("m1", "m2", 0) == "compatible");
  CHECK(verdict("m0", "m1", 6) == "more in A");
  CHECK_SAYS(here.run({"compare", "m0", "m1", "--leakage-criterion", "-m", "ctl"}, 2).err,
             "--leakage-criterion does not go with --metric");
  for (const auto& [option, value] : {std::pair("--resampled", "0.25"),
                                      {"--test", "wilcoxon"},
                                      {"--correction", "none"},
                                      {"--plot", "x.svg"}})
    CHECK_SAYS(here.run({"compare", "m0", "m1", "--leakage-criterion", option, value}, 2).err,
               std::string("--leakage-criterion does not go with ") + option);
  CHECK_SAYS(here.run({"compare", "metric:ctl", "metric:icl", "--leakage-criterion"}, 2).err,
             "--leakage-criterion does not go with two metrics");
}
