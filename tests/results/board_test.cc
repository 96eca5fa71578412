// SPDX-License-Identifier: Apache-2.0
#include "results/boards/board.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "results/boards/across.h"
#include "results/formats/format.h"
#include "results/store/sqlite.h"
#include "tests/results/sample.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;
using sample::problem_of;

namespace {

class Bench {
 public:
  explicit Bench(const sample::Plan& plan) : store(Store::open(":memory:", Mode::kReadWrite)) {
    sample::ask(store, plan);
  }

  /// The values of the seeds 1, 2, ... for metric a; b is ten times as much. NaN: failed.
  void give(const std::string& explainer, const std::vector<double>& values,
            const std::string& control = "none") {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string key =
          key_of("d", "m", explainer, static_cast<std::int64_t>(i) + 1, control);
      const std::string id = std::to_string(++attempts_);
      if (std::isnan(values[i]))
        store.record(attempt(id, key, attempts_, Status::failed), {});
      else
        store.record(attempt(id, key, attempts_),
                     std::vector{score_row("a", values[i]), score_row("b", 10 * values[i])});
    }
  }

  std::string text(const BoardOptions& options) {
    return to_text(board(store, options), Format::table);
  }

  Store store;

 private:
  int attempts_ = 0;
};

BoardOptions by(const std::string& metric) {
  BoardOptions options;
  options.metrics = {metric};
  return options;
}

}  // namespace

TEST_CASE("board: mean, 95 % t interval, rank in the direction of the metric") {
  Bench bench({.explainers = {"e", "f", "g"}, .seeds = 3});
  bench.give("e",
             {0.25, 0.5, 0.75});  // mean 0.5, sd 0.25: half-width 4.30265 * 0.25 / sqrt 3 = 0.62104
  bench.give("f", {0.75, 0.75, 0.75});
  bench.give("g", {0.125, 0.25, 0.375});  // half-width 0.31052
  CHECK(bench.text(by("a")) ==
        R"(rank  dataset  model  explainer  coverage            a
----  -------  -----  ---------  --------  -----------
   1  d        m      f               3/3   0.7500 ± 0
   2  d        m      e               3/3  0.50 ± 0.62
   3  d        m      g               3/3  0.25 ± 0.31
)");
  // b: lower is better. A second metric stands beside and does not rank.
  BoardOptions options = by("b");
  options.metrics.push_back("a");
  CHECK(bench.text(options) ==
        R"(rank  dataset  model  explainer  coverage          b            a
----  -------  -----  ---------  --------  ---------  -----------
   1  d        m      g               3/3  2.5 ± 3.1  0.25 ± 0.31
   2  d        m      e               3/3  5.0 ± 6.2  0.50 ± 0.62
   3  d        m      f               3/3  7.500 ± 0   0.7500 ± 0
)");
  const Table table = board(bench.store, by("a"));
  const auto estimate = std::get<Estimate>(table.rows[1][5]);
  CHECK(estimate.mean == 0.5);
  CHECK(estimate.n == 3);
  // t_{0.975, 2} = 0.95 sqrt(2 / (1 - 0.95^2))
  CHECK(*estimate.half_width ==
        doctest::Approx(0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)) * 0.25 / std::sqrt(3.0))
            .epsilon(1e-12));
  CHECK(to_text(table, Format::csv)
            .starts_with("rank,dataset,model,explainer,coverage_n,coverage_asked,a,a_half_width,a_"
                         "n,a_message\n1,d,m,f,3,3,0.75,0,3,\n2,d,m,e,3,3,0.5,0.6210"));
}

TEST_CASE("board: scores over seeds share comparisons, and have wider intervals") {
  MetricKeyRow metric = sample::metric("a");
  metric.grp = "over_seeds";
  for (const int seeds : {2, 3}) {
    Bench bench(
        {.explainers = {"e"}, .seeds = seeds, .metrics = {metric, sample::metric("b", "lower")}});
    bench.give("e", seeds == 2 ? std::vector<double>{0.25, 0.5} : std::vector{0.25, 0.5, 0.75});
    const auto estimate = std::get<Estimate>(board(bench.store, by("a")).rows.at(0)[5]);
    CHECK(estimate.half_width.has_value() == (seeds > 2));
    if (seeds > 2) CHECK(*estimate.half_width == doctest::Approx(4 * 0.62104).epsilon(1e-5));
  }
}

TEST_CASE("board: an incomplete entry never outranks a complete one") {
  Bench bench({.explainers = {"best", "good", "none", "poor"}, .seeds = 3});
  bench.give("best", {1, 1, NAN});
  bench.give("good", {0.5, NAN, NAN});
  bench.give("none", {NAN, NAN, NAN});
  bench.give("poor", {0.125, 0.125, 0.125});
  CHECK(bench.text(by("a")) ==
        R"(rank  dataset  model  explainer  coverage                 a
----  -------  -----  ---------  --------  ----------------
   1  d        m      poor            3/3        0.1250 ± 0
   2  d        m      best            2/3   1.000 ± 0 (2/3)
   3  d        m      good            1/3  0.5000 ± - (1/3)
   -  d        m      none            0/3                 -
)");
}

TEST_CASE("board: a score without a number does not complete an entry") {
  Bench bench({.explainers = {"e", "f"}, .seeds = 2});
  bench.give("e", {0.9});
  bench.store.record(attempt("u", key_of("d", "m", "e", 2)),
                     std::vector{ScoreRow{"a", std::nullopt, "undefined"}});
  bench.give("f", {0.1, 0.1});
  const Table table = board(bench.store, by("a"));
  CHECK(std::get<std::string>(table.rows[0][3]) == "f");
  CHECK(std::get<Coverage>(table.rows[1][4]).n == 1);
}

TEST_CASE("board: what a metric says is marked, and listed once below") {
  Bench bench({.explainers = {"e", "f", "g"}, .controls = {"none", "random"}, .seeds = 2});
  const auto give = [&](const std::string& explainer, int seed, ScoreRow row,
                        const std::string& control = "none") {
    bench.store.record(attempt(explainer + std::to_string(seed) + control,
                               key_of("d", "m", explainer, seed, control)),
                       std::vector{std::move(row)});
  };
  for (const int seed : {1, 2}) {
    give("e", seed, score_row("a", 0.75, seed == 1 ? "3 rows were left out" : ""));
    give("f", seed, {"a", std::nullopt, "undefined", "one class only"});
    give("g", seed, score_row("a", 0.5));
  }
  give("g", 1, {"a", std::nullopt, "undefined", "one class only"}, "random");
  give("g", 2, score_row("a", 0.25, "3 rows were left out"), "random");
  BoardOptions options = by("a");
  options.controls = true;
  CHECK(bench.text(options) ==
        R"(rank  dataset  model  explainer  coverage            a             a@random
----  -------  -----  ---------  --------  -----------  -------------------
   1  d        m      e               2/2  0.7500 ± 0¹                    -
   2  d        m      g               2/2   0.5000 ± 0  0.2500 ± - (1/2)¹,²
   -  d        m      f               0/2           -²                    -

¹ 3 rows were left out
² one class only
)");
  CHECK(to_text(board(bench.store, by("a")), Format::csv) ==
        "rank,dataset,model,explainer,coverage_n,coverage_asked,a,a_half_width,a_n,a_message\n"
        "1,d,m,e,2,2,0.75,0,2,3 rows were left out\n"
        "2,d,m,g,2,2,0.5,0,2,\n"
        ",d,m,f,0,2,,,0,one class only\n");
  CHECK(to_text(across_datasets(board(bench.store, by("a"))), Format::table).find("0.7500 ± 0¹") !=
        std::string::npos);
  // Of a run, only what it asks for.
  sample::ask(bench.store, {.run = "less", .explainers = {"f", "g"}, .seeds = 1, .created = 9});
  options = by("a");
  options.run = "less";
  CHECK(bench.text(options).find("left out") == std::string::npos);
  CHECK(bench.text(options).find("¹ one class only") != std::string::npos);
}

TEST_CASE("board: ties share a rank and the next one is skipped") {
  Bench bench({.explainers = {"e", "f", "g", "h"}, .seeds = 2});
  bench.give("e", {0.5, 0.25});
  bench.give("f", {0.75, 0.75});
  bench.give("g", {0.25, 0.5});
  bench.give("h", {0.125, 0.125});
  const Table table = board(bench.store, by("a"));
  std::string places;
  for (const auto& row : table.rows)
    places += std::get<std::string>(row[3]) + std::to_string(std::get<std::int64_t>(row[0])) + " ";
  CHECK(places == "f1 e2 g2 h4 ");
}

TEST_CASE("board: only the newest good attempt that is not retracted counts") {
  Bench bench({.explainers = {"e"}, .seeds = 1});
  const std::string key = key_of("d", "m", "e", 1);
  const auto mean = [&] { return std::get<Estimate>(board(bench.store, by("a")).rows[0][5]).mean; };
  bench.store.record(attempt("2", key, 20), std::vector{score_row("a", 0.25)});
  CHECK(mean() == 0.25);
  bench.store.record(attempt("3", key, 30), std::vector{score_row("a", 0.75)});
  CHECK(mean() == 0.75);
  bench.store.record(attempt("4", key, 40, Status::invalid_output),
                     std::vector{ScoreRow{"a", std::nullopt, "error"}});
  CHECK(mean() == 0.75);
  bench.store.retract("3", "wrong", sample::at(50));
  CHECK(mean() == 0.25);
}

TEST_CASE("board: controls stand beside the first metric and have no row of their own") {
  Bench bench({.explainers = {"e", "f"},
               .controls = {"none", "random_importance", "random_concepts"},
               .seeds = 2});
  bench.give("e", {0.75, 0.75});
  bench.give("e", {0.25, 0.25}, "random_importance");
  bench.give("e", {0.125, NAN}, "random_concepts");
  bench.give("f", {0.5, 0.5});
  bench.give("f", {0.5, 0.5}, "random_importance");
  CHECK(board(bench.store, by("a")).columns.size() == 6);
  BoardOptions options = by("a");
  options.controls = true;
  CHECK(
      bench.text(options) ==
      R"(rank  dataset  model  explainer  coverage           a  a@random_concepts  a@random_importance
----  -------  -----  ---------  --------  ----------  -----------------  -------------------
   1  d        m      e               2/2  0.7500 ± 0   0.1250 ± - (1/2)           0.2500 ± 0
   2  d        m      f               2/2  0.5000 ± 0                  -           0.5000 ± 0
)");
}

TEST_CASE("board: one run, or all of them") {
  Bench bench({.explainers = {"e", "f"}, .seeds = 2});
  bench.give("e", {0.5, 0.5});
  bench.give("f", {0.25, 0.25});
  sample::ask(bench.store, {.run = "more", .explainers = {"e"}, .seeds = 4, .created = 9});
  const auto coverage = [&](const std::string& run) {
    BoardOptions options = by("a");
    options.run = run;
    std::string text;
    for (const auto& row : board(bench.store, options).rows) {
      const auto c = std::get<Coverage>(row[4]);
      text +=
          std::get<std::string>(row[3]) + std::to_string(c.n) + "/" + std::to_string(c.asked) + " ";
    }
    return text;
  };
  CHECK(coverage("run") == "e2/2 f2/2 ");
  CHECK(coverage("more") == "e2/4 ");
  CHECK(coverage("") == "f2/2 e2/4 ");  // more is asked of e now: it is incomplete
}

TEST_CASE("board: filters keep the ranks") {
  Bench bench({.explainers = {"e", "f"}, .seeds = 1});
  bench.give("e", {0.5});
  bench.give("f", {0.75});
  BoardOptions options = by("a");
  options.explainer = "e";
  const Table table = board(bench.store, options);
  REQUIRE(table.rows.size() == 1);
  CHECK(std::get<std::int64_t>(table.rows[0][0]) == 2);
  options.explainer = "";
  options.dataset = "d";
  options.model = "m";
  CHECK(board(bench.store, options).rows.size() == 2);
  options.model = "another";
  CHECK(board(bench.store, options).rows.empty());
}

TEST_CASE("board: a metric without direction has no ranks") {
  Bench bench({.explainers = {"f", "e"},
               .seeds = 1,
               .metrics = {sample::metric("a", "none"), sample::metric("b")}});
  bench.give("e", {0.5});
  bench.give("f", {0.75});
  const Table table = board(bench.store, by("a"));
  CHECK(std::holds_alternative<std::monostate>(table.rows[0][0]));
  CHECK(std::get<std::string>(table.rows[0][3]) == "e");
}

TEST_CASE("board: the model itself, and two versions of one explainer") {
  Bench bench({.explainers = {"e"}, .seeds = 1});
  ComponentRow second = sample::component("explainer", "e", "2.0.0");
  second.key = "e2";
  std::vector<CellRow> cells = {sample::cell("d", "m", "e2", 1), sample::cell("d", "m", "", 1)};
  bench.store.register_run({"run", "", "", sample::at(0)}, std::vector{second}, cells, {});
  bench.give("e", {0.5});
  bench.give("e2", {0.75});
  bench.give("", {0.25});
  CHECK(bench.text(by("a")) ==
        R"(rank  dataset  model  explainer  coverage           a
----  -------  -----  ---------  --------  ----------
   1  d        m      e@2.0.0         1/1  0.7500 ± -
   2  d        m      e@1.0.0         1/1  0.5000 ± -
   -  d        m      -               1/1  0.2500 ± -
)");
}

TEST_CASE("board: models that nothing explains compete with each other on their dataset") {
  auto store = Store::open(":memory:", Mode::kReadWrite);
  std::vector<ComponentRow> components = {sample::component("dataset", "d"),
                                          sample::component("dataset", "other")};
  for (const char* model : {"best", "half", "poor"})
    components.push_back(sample::component("model", model));
  components.push_back(sample::component("explainer", "e"));
  std::vector<CellRow> cells = {sample::cell("d", "poor", "e", 1),
                                sample::cell("other", "half", "", 1)};
  for (const char* model : {"poor", "half", "best"})
    for (const int seed : {1, 2}) cells.push_back(sample::cell("d", model, "", seed));
  store.add_environment(sample::kHere);
  store.register_run({"run", "", "", sample::at(0)}, components, cells,
                     std::vector{sample::metric("a")});
  const auto give = [&](const std::string& cell, double value) {
    store.record(attempt(cell, cell), std::vector{score_row("a", value)});
  };
  give(key_of("d", "poor", "e", 1), 0.125);
  give(key_of("other", "half", "", 1), 1.0);
  for (const int seed : {1, 2}) give(key_of("d", "poor", "", seed), 0.25);
  for (const int seed : {1, 2}) give(key_of("d", "best", "", seed), 0.75);
  give(key_of("d", "half", "", 1), 0.5);
  // The explainer and who is alone on a dataset compete with none of them.
  CHECK(to_text(board(store, by("a")), Format::table) ==
        R"(rank  dataset  model  explainer  coverage                 a
----  -------  -----  ---------  --------  ----------------
   1  d        poor   e               1/1        0.1250 ± -
   1  d        best   -               2/2        0.7500 ± 0
   2  d        poor   -               2/2        0.2500 ± 0
   3  d        half   -               1/2  0.5000 ± - (1/2)
   -  other    half   -               1/1         1.000 ± -
)");
  BoardOptions options = by("a");
  options.model = "poor";  // hides the others, and makes nobody first
  const Table kept = board(store, options);
  REQUIRE(kept.rows.size() == 2);
  CHECK(std::get<std::string>(kept.rows[0][3]) == "e");
  CHECK(std::get<std::int64_t>(kept.rows[1][0]) == 2);
}

TEST_CASE("board: the spread is right far from zero") {
  Bench bench({.explainers = {"e"}, .seeds = 3});
  bench.give("e", {1e8 + 1, 1e8 + 2, 1e8 + 3});
  const auto estimate = std::get<Estimate>(board(bench.store, by("a")).rows[0][5]);
  CHECK(*estimate.half_width ==
        doctest::Approx(0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)) / std::sqrt(3.0)).epsilon(1e-11));
}

TEST_CASE("board: what cannot be answered") {
  Bench bench({});
  CHECK_THROWS_AS(board(bench.store, {}), std::invalid_argument);
  std::string message;
  CHECK(problem_of([&] { board(bench.store, by("c")); }, &message) == "not_found");
  CHECK(message.find("asked for: a, b") != std::string::npos);
}
