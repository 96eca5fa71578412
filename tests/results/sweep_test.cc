// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/sweep.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "results/analysis/parsimony.h"
#include "results/formats/format.h"
#include "tests/results/sample.h"
#include "tests/support/throws.h"

using namespace conoscope::results;
using sample::at;
using sample::attempt;
using sample::key_of;

namespace {

/// A store with explainers of any parameters.
class Bench {
 public:
  Bench() : store(Store::open(":memory:", Mode::kReadWrite)) { sample::ask(store, {.seeds = 0}); }

  /// key e of plugin p; scores of the seeds 1, 2, ... for a; none: the attempt failed.
  void add(const std::string& key, const std::string& name, const std::string& params,
           const std::vector<std::optional<double>>& scores, const std::string& plugin = "p",
           const std::string& version = "1.0.0") {
    const ComponentRow explainer{key, "explainer", plugin, version, params, "", name};
    std::vector<CellRow> cells;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto seed = static_cast<std::int64_t>(i) + 1;
      cells.push_back(sample::cell("d", "m", key, seed));
      cells.push_back(sample::cell("d", "m", key, seed, "random_importance"));
    }
    store.register_run({"run", "name of run", "[run]", at(0)}, std::vector{explainer}, cells, {});
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto seed = static_cast<std::int64_t>(i) + 1;
      const std::string id = std::to_string(++attempts_);
      if (scores[i])
        store.record(attempt(id, key_of("d", "m", key, seed), attempts_),
                     std::vector{score_row("a", *scores[i]), score_row("b", 1 - *scores[i])});
      else
        store.record(attempt(id, key_of("d", "m", key, seed), attempts_, Status::failed), {});
      // A control must not be taken for the thing itself.
      const std::string twin = std::to_string(++attempts_);
      store.record(attempt(twin, key_of("d", "m", key, seed, "random_importance"), attempts_),
                   std::vector{score_row("a", 100.0), score_row("b", 100.0)});
    }
  }

  std::vector<Sweep> ask(SweepOptions options = {}) {
    if (options.metrics.empty()) options.metrics = {"a"};
    if (options.count_parameters.empty())
      options.count_parameters = {
          {"p", "k"}, {"q", "k"}, {"a", "k"}, {"b", "latents"}, {"s", "latents"}};
    return sweeps(store, options);
  }

  Store store;

 private:
  int attempts_ = 0;
};

std::string methods(const std::vector<Sweep>& found) {
  std::string out;
  for (const auto& sweep : found) {
    out += (out.empty() ? "" : " ") + sweep.method + ":";
    for (const auto& point : sweep.points) out += std::to_string(point.k) + ",";
    out.pop_back();
  }
  return out;
}

}  // namespace

TEST_CASE("sweep: canonical parameters are read as they were written") {
  using Params = std::vector<std::pair<std::string, std::string>>;
  CHECK(read_params("") == Params{});
  CHECK(read_params("k=3;rows=\"pooled\"") == Params{{"k", "3"}, {"rows", "\"pooled\""}});
  CHECK(read_params("a=\"x;k=9\";k=3") == Params{{"a", "\"x;k=9\""}, {"k", "3"}});
  CHECK(read_params("a=\"q\\\";k=9\";k=3") == Params{{"a", "\"q\\\";k=9\""}, {"k", "3"}});
  CHECK_FALSE(read_params("{\"of\": 1}").has_value());
  CHECK_FALSE(read_params("a=\"open;k=3").has_value());
}

TEST_CASE("sweep: K is the parameter that counts concepts, by plugin, or the one that is named") {
  Bench bench;
  for (const std::string k : {"1", "2"}) {
    bench.add("a" + k, "a" + k, "k=" + k + ";tol=1", {1.0}, "a");
    bench.add("b" + k, "b" + k, "k=3;latents=" + k + "0", {1.0}, "b");
    bench.add("c" + k, "c" + k, "k=" + k, {1.0}, "c");  // nobody knows what its k counts
    bench.add("d" + k, "d" + k, "kk=" + k, {1.0}, "d");
  }
  CHECK(methods(bench.ask()) == "a:1,2 b:10,20");
  SweepOptions other;
  other.count_parameter = "kk";
  CHECK(methods(bench.ask(other)) == "d:1,2");
}

TEST_CASE("sweep: explainers that differ in K alone are one method, in the order of the numbers") {
  Bench bench;
  bench.add("1", "p(k=10)", "k=10;tol=1", {0.5});
  bench.add("2", "p", "k=5;tol=1", {0.25});
  bench.add("3", "p(k=2)", "k=2;tol=1", {0.125});
  bench.add("4", "p(k=2,tol=3)", "k=2;tol=3", {0.125});
  bench.add("5", "p(tol=3)", "k=5;tol=3", {0.125});
  const auto found = bench.ask();
  CHECK(methods(found) == "p:2,5,10 p(tol=3):2,5");
  CHECK(std::get<std::string>(found[0].dataset) == "d");
  CHECK(found[0].direction == "higher");
  CHECK(found[0].points[2].by_seed == std::map<std::int64_t, double>{{1, 0.5}});
}

TEST_CASE("sweep: no K, K by itself, and one K alone are left out") {
  Bench bench;
  bench.add("1", "perfect", "", {1.0}, "perfect");
  bench.add("2", "s", "k=5;latents=0", {1.0}, "s");
  bench.add("3", "s(latents=10)", "k=5;latents=10", {1.0}, "s");
  bench.add("4", "s(k=4,latents=10)", "k=4;latents=10", {1.0}, "s");
  bench.add("5", "odd", "not parameters", {1.0}, "odd");
  CHECK(methods(bench.ask()) == "");
  SweepOptions by_k;
  by_k.count_parameter = "k";
  CHECK(methods(bench.ask(by_k)) == "s(latents=10):4,5");
}

TEST_CASE("sweep: methods of one name are told apart") {
  Bench bench;
  for (const std::string k : {"1", "2"}) {
    bench.add("a" + k, "p(k=" + k + ")", "k=" + k, {1.0}, "p", "1.0.0");
    bench.add("b" + k, "p(k=" + k + ")", "k=" + k, {1.0}, "p", "2.0.0");
    bench.add("c" + k, "mine " + k, "k=" + k + ";tol=1", {1.0}, "q");
    bench.add("d" + k, "yours " + k, "k=" + k + ";tol=2", {1.0}, "q");
  }
  CHECK(methods(bench.ask()) == "p@1.0.0:1,2 p@2.0.0:1,2 q{tol=1}:1,2 q{tol=2}:1,2");
}

TEST_CASE("sweep: filters, and a metric that nobody asked for") {
  Bench bench;
  bench.add("1", "p(k=1)", "k=1", {1.0});
  bench.add("2", "p(k=2)", "k=2", {1.0});
  bench.add("3", "q(k=1)", "k=1", {1.0}, "q");
  bench.add("4", "q(k=2)", "k=2", {1.0}, "q");
  SweepOptions options;
  options.explainer = "q";
  CHECK(methods(bench.ask(options)) == "q:1,2");
  options.dataset = "another";
  CHECK(bench.ask(options).empty());
  options = {};
  options.run = "run";
  options.metrics = {"b", "a"};
  const auto both = bench.ask(options);
  REQUIRE(both.size() == 4);
  CHECK(both[0].metric == "b");
  CHECK(both[0].direction == "lower");
  CHECK(both[1].metric == "a");
  options.metrics = {"c"};
  CHECK_THROWS_SAYING(bench.ask(options), StoreError, "asked for: a, b");
}

TEST_CASE("parsimony: the table of selections") {
  Bench bench;
  bench.add("1", "p(k=1)", "k=1", {0.0, 0.0});
  bench.add("2", "p(k=2)", "k=2", {1.25, 0.5});
  bench.add("4", "p(k=4)", "k=4", {1.0, 1.0});
  bench.add("8", "p(k=8)", "k=8", {2.0, std::nullopt});  // better, if it were known
  bench.add("x", "q(k=1)", "k=1", {std::nullopt, 1.0}, "q");
  bench.add("y", "q(k=2)", "k=2", {std::nullopt, std::nullopt}, "q");
  // Areas of p: seed 1 (0.625 + 2 * 1.125) / 3 = 23/24, seed 2 (0.25 + 2 * 0.75) / 3 = 14/24: mean
  // 37/48 = 0.77, half-width 12.706 * (9/24) / 2 = 2.38. At K = 2: 0.875 and 12.706 * 0.75 / 2.
  CHECK(
      to_text(selection_table(bench.ask(), true), Format::table) ==
      R"(dataset  model  method  metric  better  k      score  best_k       best  rule  seeds  complete  k_range       area  curve
-------  -----  ------  ------  ------  -  ---------  ------  ---------  ----  -----  --------  -------  ---------  -----
d        m      p       a       higher  2  0.9 ± 4.8       4  1.000 ± 0  1se       2       3/4  1-4      0.8 ± 2.4  ▁▇█·
d        m      q       a       higher  -          -       -          -  -         -       0/2  -                -  ··
)");
  const std::string machine = to_text(selection_table(bench.ask(), false), Format::csv);
  CHECK(machine.find("curve") == std::string::npos);
  CHECK(machine.find("d,m,q,a,higher,,,,,,,,,,,0,2,,,,\n") != std::string::npos);
}

TEST_CASE("parsimony: a flat line, and the direction") {
  Bench bench;
  bench.add("1", "p(k=1)", "k=1", {0.5});
  bench.add("2", "p(k=3)", "k=3", {0.5});
  SweepOptions options;
  options.metrics = {"b"};
  const Table table = selection_table(bench.ask(options), true);
  REQUIRE(table.rows.size() == 1);
  const auto& row = table.rows[0];
  CHECK(std::get<std::int64_t>(row[5]) == 1);
  CHECK(std::get<std::string>(row[9]) == "1pct");
  CHECK(std::get<Estimate>(row[13]).mean == 0.5);
  CHECK_FALSE(std::get<Estimate>(row[13]).half_width.has_value());
  CHECK(std::get<std::string>(row[14]) == "▅▅");
}

TEST_CASE("parsimony: lower is better") {
  Bench bench;
  for (int k = 1; k <= 3; ++k)
    bench.add(std::to_string(k), "p(k=" + std::to_string(k) + ")", "k=" + std::to_string(k),
              {0.25 * k, 0.25 * k + 0.0625 * k});
  SweepOptions options;
  options.metrics = {"a", "b"};
  const Table table = selection_table(bench.ask(options), false);
  // b = 1 - a falls with K and is better low: the same choice.
  for (const auto& row : table.rows) {
    CHECK(std::get<std::int64_t>(row[5]) == 3);
    CHECK(std::get<std::int64_t>(row[7]) == 3);
  }
}

TEST_CASE("parsimony: the curves") {
  Bench bench;
  bench.add("1", "p(k=1)", "k=1", {0.5, 0.5});
  bench.add("2", "p(k=2)", "k=2", {0.75, std::nullopt});
  bench.add("3", "p(k=3)", "k=3", {std::nullopt, std::nullopt});
  CHECK(to_text(curve_table(bench.ask()), Format::csv) ==
        "dataset,model,method,metric,k,seeds_n,seeds_asked,mean,low,high\n"
        "d,m,p,a,1,2,2,0.5,0.5,0.5\n"
        "d,m,p,a,2,1,2,0.75,,\n"
        "d,m,p,a,3,0,2,,,\n");
}

TEST_CASE("parsimony: a metric without direction has no best") {
  Sweep sweep;
  sweep.metric = "size";
  sweep.direction = "none";
  CHECK_THROWS_SAYING(selection_table({sweep}, false), std::invalid_argument,
                      "size has no direction");
}
