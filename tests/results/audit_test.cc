// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/audit.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "tests/results/sample.h"

using namespace conoscope::results;

namespace {

// Quantiles of the printed tables, five digits.
constexpr double kTable = 1e-4;
constexpr double kT6 = 2.44691, kPower6 = 0.90570;  // t(0.975, 6), t(0.8, 6)

/// Scores by metric and cell, one attempt for each cell.
class Bench {
 public:
  explicit Bench(sample::Plan plan) : plan_(std::move(plan)), store_(sample::memory(plan_)) {}

  /// From seed 1 on, as many as there are values.
  void give(const std::string& metric, const std::string& explainer,
            const std::vector<double>& values, const std::string& control = "none") {
    for (std::size_t i = 0; i < values.size(); ++i)
      scores_[sample::key_of("d", "m", explainer, static_cast<std::int64_t>(i) + 1, control)]
          .push_back(score_row(metric, values[i]));
  }

  Store& done() {
    for (const auto& [cell, scores] : scores_) store_.record(sample::attempt(cell, cell), scores);
    scores_.clear();
    return store_;
  }

 private:
  sample::Plan plan_;
  Store store_;
  std::map<std::string, std::vector<ScoreRow>> scores_;
};

std::vector<double> around(double mean) { return {mean - 0.1, mean, mean + 0.1}; }

/// Three entries of sd 0.1 each, two of which cannot be told apart.
Bench three(const std::string& direction = "higher") {
  Bench bench({.explainers = {"e", "f", "g"},
               .controls = {"none", "untrained_dictionary", "random_concepts"},
               .metrics = {sample::metric("a", direction), sample::metric("truth_mcc")}});
  bench.give("a", "e", around(0.8));
  bench.give("a", "f", around(0.5));
  bench.give("a", "g", around(0.45));
  return bench;
}

Audit audit_of(Store& store, const std::string& metric = "a", const AuditOptions& how = {}) {
  const auto found = audits(store, {.run = "run", .metrics = {metric}}, how);
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

TEST_CASE("audit: noise, smallest reliable differences and pairs by hand") {
  Bench bench = three();
  const Audit found = audit_of(bench.done(), "a", {.seeds = 0, .by_seed = true});
  CHECK(found.dataset == "d");
  CHECK(found.model == "m");
  CHECK(found.complete == 3);
  CHECK(found.asked == 3);
  CHECK(found.seeds == 3);
  CHECK(found.noise.sd == doctest::Approx(0.1));
  CHECK(found.noise.dof == 6);
  CHECK(found.noise.largest_over == doctest::Approx(1.0));
  CHECK_FALSE(found.uneven());
  CHECK(*found.variation == doctest::Approx((0.1 / 0.8 + 0.1 / 0.5 + 0.1 / 0.45) / 3));
  CHECK(*found.reliable == doctest::Approx(kT6 * 0.1 * std::sqrt(2.0 / 3)).epsilon(kTable));
  CHECK(*found.reliable_one == doctest::Approx(kT6 * 0.1 * std::sqrt(2.0)).epsilon(kTable));
  CHECK(*found.detectable ==
        doctest::Approx((kT6 + kPower6) * 0.1 * std::sqrt(2.0 / 3)).epsilon(kTable));
  CHECK(found.pairs == 3);
  CHECK(*found.told_apart == doctest::Approx(2.0 / 3));
  CHECK(*found.neighbours == 1);
  CHECK(*found.share_between == doctest::Approx(0.0325 / 0.0425));
  CHECK(found.winners == 1);
  CHECK(*found.agreement == doctest::Approx(1.0));
  CHECK(found.fails.empty());
  CHECK(audit_text(found) ==
        "differences below 0.20 are not told apart by a at 3 seeds (0.35 at one; s = 0.10, 6 df, "
        "95 %; 80 % power from 0.28)");
}

TEST_CASE("audit: differences of means over other numbers of seeds") {
  Bench bench = three();
  const Audit found = audit_of(bench.done(), "a", {.seeds = 12, .by_seed = false});
  CHECK(*found.reliable == doctest::Approx(kT6 * 0.1 * std::sqrt(2.0 / 12)).epsilon(kTable));
  CHECK(*found.told_apart == doctest::Approx(2.0 / 3));  // of the means as they are
  CHECK(found.asked == 3);
}

TEST_CASE("audit: an incomplete entry counts for the noise alone") {
  Bench bench({.explainers = {"e", "f", "h"}, .metrics = {sample::metric("a")}});
  bench.give("a", "e", around(0.8));
  bench.give("a", "f", around(0.5));
  bench.give("a", "h", {0.1, 0.3});
  const Audit found = audit_of(bench.done());
  CHECK(found.complete == 2);
  CHECK(found.noise.dof == 5);
  CHECK(found.noise.sd == doctest::Approx(std::sqrt((4 * 0.01 + 0.02) / 5)));
  CHECK(found.pairs == 1);
}

TEST_CASE("audit: what one seed, and seeds that change nothing, do not say") {
  Bench one({.explainers = {"e", "f"}, .seeds = 1, .metrics = {sample::metric("a")}});
  one.give("a", "e", {0.5});
  one.give("a", "f", {0.25});
  const Audit single = audit_of(one.done());
  CHECK(single.noise.dof == 0);
  CHECK_FALSE(single.reliable);
  CHECK(audit_text(single).empty());
  Bench same({.explainers = {"e", "f", "g"}, .metrics = {sample::metric("a")}});
  for (const char* explainer : {"e", "f", "g"}) same.give("a", explainer, {0.5, 0.5, 0.5});
  const Audit still = audit_of(same.done());
  CHECK(still.noise.sd == 0.0);
  CHECK_FALSE(still.reliable);  // 0 would be a lie
  CHECK_FALSE(still.told_apart);
  CHECK(still.fails.empty());
  CHECK(text_of(audit_table({still}).rows[0][audit_table({still}).column("noise")]) ==
        "seeds change nothing");
}

TEST_CASE("audit: the order of the truth, without what knows it") {
  Bench bench = three();
  bench.give("truth_mcc", "e", {0.9, 0.9, 0.9});
  bench.give("truth_mcc", "f", {0.6, 0.6, 0.6});
  bench.give("truth_mcc", "g", {0.7, 0.7, 0.7});
  Store& store = bench.done();
  const Audit found = audit_of(store);
  REQUIRE(found.truth.size() == 1);
  CHECK(found.truth[0].metric == "truth_mcc");
  CHECK(*found.truth[0].rho == doctest::Approx(0.5));
  CHECK(found.truth[0].entries == 3);
  CHECK_FALSE(found.truth[0].significant);
  CHECK(audit_text(found).ends_with("; rho with truth_mcc 0.50, 3 entries, not significant"));
  CHECK(audit_of(store, "truth_mcc").truth.empty());  // not with itself
  CHECK(is_audited(store, "run"));

  // Of a metric that is better when lower, the order is the other way round.
  Bench lower = three("lower");
  for (const auto& [explainer, mcc] : {std::pair("e", 0.9), {"f", 0.6}, {"g", 0.7}})
    lower.give("truth_mcc", explainer, {mcc, mcc, mcc});
  CHECK(*audit_of(lower.done()).truth[0].rho == doctest::Approx(-0.5));
}

TEST_CASE("audit: a metric that ranks against the truth fails, oracles aside") {
  const std::vector<std::string> names = {"e", "f", "g", "h", "i", "perfect", "true_dictionary"};
  Bench bench({.explainers = names, .metrics = {sample::metric("a"), sample::metric("truth_f1")}});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool oracle = i > 4;
    bench.give("a", names[i], around(oracle ? 9.0 : 1.0 + static_cast<double>(i)));
    const double truth = oracle ? 1.0 : 0.9 - 0.1 * static_cast<double>(i);
    bench.give("truth_f1", names[i], {truth, truth, truth});
  }
  const Audit found = audit_of(bench.done());
  CHECK(found.complete == 7);
  REQUIRE(found.truth.size() == 1);
  CHECK(found.truth[0].entries == 5);
  CHECK(*found.truth[0].rho == doctest::Approx(-1.0));
  CHECK(found.truth[0].significant);
  CHECK(found.fails == std::vector<std::string>{"ranks against the truth"});
}

TEST_CASE("audit: the gap to the best twin that has learnt nothing") {
  Bench bench = three();
  bench.give("a", "e", {0.55, 0.55, 0.55}, "untrained_dictionary");
  bench.give("a", "e", {0.79, 0.79, 0.79}, "random_concepts");  // not asked: there is a better twin
  bench.give("a", "f", {0.5, 0.5, 0.5}, "random_concepts");     // all that it has
  bench.give("a", "g", {0.1, 0.1}, "untrained_dictionary");     // incomplete
  Store& store = bench.done();
  const Audit found = audit_of(store);
  const double mrd = kT6 * 0.1 * std::sqrt(2.0 / 3);
  CHECK(found.with_twins == 2);
  CHECK(found.beyond == 1);
  CHECK(*found.largest_gap == doctest::Approx(0.25 / mrd).epsilon(kTable));
  CHECK(std::abs(*found.least_gap) < 1e-12);
  CHECK(found.fails.empty());
  const Table entries = audited_entries({found});
  REQUIRE(entries.rows.size() == 3);
  std::map<std::string, std::vector<Field>> rows;
  for (const auto& row : entries.rows) rows[text_of(row[entries.column("explainer")])] = row;
  CHECK(text_of(rows["e"][entries.column("twin")]) == "untrained_dictionary");
  CHECK(text_of(rows["e"][entries.column("remark")]).empty());
  CHECK(text_of(rows["f"][entries.column("twin")]) == "random_concepts");
  CHECK(text_of(rows["f"][entries.column("remark")]) == "shows no learning");
  CHECK(text_of(rows["g"][entries.column("twin")]).empty());

  Bench blind = three();
  for (const auto& [explainer, mean] : {std::pair("e", 0.8), {"f", 0.5}, {"g", 0.45}})
    blind.give("a", explainer, around(mean), "untrained_dictionary");
  CHECK(audit_of(blind.done()).fails == std::vector<std::string>{"shows no learning (untrained_dictionary)"});
  // Of a metric that is better when lower, a twin above is one that is beaten.
  Bench lower = three("lower");
  lower.give("a", "e", {1.3, 1.3, 1.3}, "untrained_dictionary");
  CHECK(audit_of(lower.done()).beyond == 1);
}

TEST_CASE("audit: a metric that tells nothing apart; a spread that is uneven") {
  Bench flat({.explainers = {"e", "f", "g"}, .metrics = {sample::metric("a")}});
  for (const char* explainer : {"e", "f", "g"}) flat.give("a", explainer, around(0.5));
  CHECK(audit_of(flat.done()).fails == std::vector<std::string>{"tells no entries apart"});
  Bench uneven({.explainers = {"e", "f", "g", "h", "i", "j"}, .metrics = {sample::metric("a")}});
  for (const char* explainer : {"f", "g", "h", "i", "j"})
    uneven.give("a", explainer, {0.5, 0.501, 0.502});
  uneven.give("a", "e", around(2.0));
  const Audit found = audit_of(uneven.done());
  CHECK(found.uneven());
  CHECK(audit_text(found).ends_with("; the noisiest entry has 2.4 s: Welch's test for its pairs"));
  CHECK(text_of(audit_table({found}).rows[0][audit_table({found}).column("noise")]) == "Welch");
}

TEST_CASE("audit: neighbours on a board that are closer than a reliable difference") {
  Bench bench = three();
  Store& store = bench.done();
  Table table = board(store, {.run = "run", .metrics = {"a"}});
  CHECK(mark_neighbours(table, audits(store, {.run = "run", .metrics = {"a"}})));
  std::vector<std::string> marks;
  for (const auto& row : table.rows) marks.push_back(std::get<Estimate>(row[5]).marks);
  CHECK(marks == std::vector<std::string>{"", "", "~"});
  CHECK_FALSE(mark_neighbours(table, {}));
}

TEST_CASE("audit: which runs are read with it") {
  Bench bench = three();
  CHECK(is_audited(bench.done(), "run"));  // its twins are asked for
  Bench plain({.explainers = {"e"}, .controls = {"none", "random_concepts"}});
  CHECK_FALSE(is_audited(plain.done(), "run"));
  CHECK_FALSE(is_audited(plain.done(), ""));
  CHECK(is_unlearnt_twin("permuted_decoder"));
  CHECK_FALSE(is_unlearnt_twin("random_concepts"));
}

TEST_CASE("audit: scores over seeds are spread as those that share cells are") {
  Bench bench(
      {.explainers = {"e", "f"}, .metrics = {{"a", "over_seeds", "higher", 0.0, 1.0, "", "", ""}}});
  bench.give("a", "e", around(0.8));
  bench.give("a", "f", around(0.5));
  // Three seeds: 2 (3 - 1) / (3 - 2) = 4 times as wide.
  CHECK(audit_of(bench.done()).noise.sd == doctest::Approx(0.4));
}

TEST_CASE("audit: what scores do over a training") {
  // Two methods, after 0 (the start, left out), 1, 2, 3 and 4 epochs, three seeds each.
  Store store = Store::open(":memory:", Mode::kReadWrite);
  std::vector<ComponentRow> components = {sample::component("dataset", "d"),
                                          sample::component("model", "m")};
  std::vector<CellRow> cells;
  for (const std::string method : {"e", "f"})
    for (const std::string epochs : {"0.0", "1.0", "2.0", "3.0", "4.0"}) {
      ComponentRow row = sample::component("explainer", method + epochs);
      row.plugin_id = method;
      row.params = "epochs=" + epochs + ";k=5";
      components.push_back(row);
      for (int seed = 1; seed <= 3; ++seed) cells.push_back(sample::cell("d", "m", row.key, seed));
    }
  store.add_environment(sample::kHere);
  const std::vector metrics = {sample::metric("a")};
  store.register_run({"run", "name", "[run]", sample::at(0)}, components, cells, metrics);
  // e: 1, 2, 4, 3 and f: 11, 12, 14, 13, beside which seeds are 0.1 apart: to both, the same.
  const std::map<std::string, double> means = {{"0.0", 99}, {"1.0", 1}, {"2.0", 2}, {"3.0", 4}, {"4.0", 3}};
  for (const CellRow& cell : cells) {
    const double value = means.at(cell.explainer.substr(1)) + (cell.explainer[0] == 'f' ? 10.0 : 0.0) +
                         0.1 * static_cast<double>(cell.seed - 2);
    store.record(sample::attempt(cell.key, cell.key), std::vector{score_row("a", value)});
  }
  const Audit found = audit_of(store, "a", {.seeds = 0, .by_seed = true});
  CHECK(found.trained == 2);
  CHECK(found.rising == 2);
  // Means over the snapshots 2.5 and 12.5, of standard deviation 10 / sqrt 2. About its parabola, which leaves
  // (-1, 3, -3, 1) . y / sqrt 20 of it, each has -4 / sqrt 20: the pooled spread is sqrt(16 / 20).
  CHECK(*found.signal_to_noise == doctest::Approx(10.0 / std::sqrt(2.0) / std::sqrt(0.8)));
  // Of 25, 0.02 / 3 and 1.25.
  REQUIRE(found.share_method);
  CHECK(*found.share_method == doctest::Approx(25.0 / (25.0 + 0.02 / 3 + 1.25)));
  CHECK(*found.share_training == doctest::Approx(1.25 / (25.0 + 0.02 / 3 + 1.25)));
  CHECK(*found.decision == doctest::Approx(1.0));
}
