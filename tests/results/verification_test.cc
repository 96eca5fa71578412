// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/verification.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/results/sample.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;

namespace {

std::vector<std::string> ids(const std::vector<Outcome>& outcomes) {
  std::vector<std::string> out;
  for (const auto& outcome : outcomes) out.push_back(outcome.attempt);
  return out;
}

/// One cell with one attempt that has these scores.
Store store_with(const std::vector<ScoreRow>& scores,
                 const std::vector<SampleScoreRow>& parts = {}) {
  Store store = Store::open(":memory:", Mode::kReadWrite);
  sample::ask(store, {.seeds = 1});
  store.record(attempt("id", key_of("d", "m", "e", 1)), scores, parts);
  return store;
}

std::vector<ScoreDifference> differences(const std::vector<ScoreRow>& stored,
                                         const std::vector<ScoreRow>& again) {
  Store a = store_with(stored), b = store_with(again);
  return compare_scores(a, "id", b, "id").differences;
}

Outcome made_in(const std::string& environment, const std::string& binaries = "") {
  return {"", "", "", "", "ok", environment, binaries};
}

}  // namespace

TEST_CASE("verification: the attempts that count, without those that are known") {
  Store store = Store::open(":memory:", Mode::kReadWrite);
  sample::ask(store, {.seeds = 4});
  const auto cell = [](int seed) { return key_of("d", "m", "e", seed); };
  store.record(attempt("old", cell(1), 1), std::vector{score_row("a", 1), score_row("b", 1)});
  store.record(attempt("new", cell(1), 2), std::vector{score_row("a", 2)});  // b still counts
  store.record(attempt("covered", cell(2), 1), std::vector{score_row("a", 1)});
  store.record(attempt("covers", cell(2), 2), std::vector{score_row("a", 1)});
  store.record(attempt("failed", cell(3), 1, Status::crashed), {});
  store.record(attempt("nothing", cell(3), 2, Status::not_applicable), {});
  store.record(attempt("wrong", cell(4), 1), std::vector{score_row("a", 1)});
  store.retract("wrong", "a mistake", sample::at(9));

  auto all = outcomes_that_count(store, "");
  auto sorted = ids(all);
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == std::vector<std::string>{"covers", "new", "nothing", "old"});
  CHECK(ids(outcomes_that_count(store, "run")) == ids(all));
  CHECK(outcomes_that_count(store, "another").empty());
  CHECK(outcomes_that_count(store, "", {"new", "old", "covers", "nothing"}).empty());
  CHECK(all[0].subject == "d x m x e #1");

  // The sample does not depend on the order, and is another one with another seed.
  const auto two = ids(sample_of(all, 2, 1));
  CHECK(two.size() == 2);
  std::reverse(all.begin(), all.end());
  CHECK(ids(sample_of(all, 2, 1)) == two);
  bool other = false;
  for (std::uint64_t seed = 2; seed < 12; ++seed)
    other = other || ids(sample_of(all, 2, seed)) != two;
  CHECK(other);
  CHECK(sample_of(all, 9, 1).size() == 4);

  // Of each row as many.
  for (auto& one : all) one.row = "d m e";
  all[0].row = "d m f";
  const auto rows = sample_of_rows(all, 2, 1);
  CHECK(rows.size() == 3);
  CHECK(std::ranges::count(rows, "d m f", &Outcome::row) == 1);
}

TEST_CASE("verification: every bit counts, and how far elsewhere may be away") {
  CHECK(differences({score_row("a", 0.1)}, {score_row("a", 0.1), score_row("b", 1)}).empty());
  const auto next = differences({score_row("a", 0.1)}, {score_row("a", std::nextafter(0.1, 1))});
  REQUIRE(next.size() == 1);
  CHECK(next[0].within);
  CHECK(next[0].stored == "0.1");
  CHECK(next[0].again == "0.10000000000000002");
  const auto within = [](double a, double b) {
    return differences({score_row("a", a)}, {score_row("a", b)}).at(0).within;
  };
  CHECK(within(0, 0.9e-6));
  CHECK_FALSE(within(0, 1.1e-6));
  CHECK(within(2000, 2000.0019));
  CHECK_FALSE(within(2000, 2000.0021));

  const ScoreRow none{"a", std::nullopt, "undefined", "no variance"};
  CHECK(differences({none}, {{"a", std::nullopt, "undefined", "in other words"}}).empty());
  const auto lost = differences({score_row("a", 0)}, {none});
  REQUIRE(lost.size() == 1);
  CHECK_FALSE(lost[0].within);
  CHECK(lost[0].again == "undefined");
  CHECK_FALSE(lost[0].by.has_value());
  CHECK(differences({score_row("a", 0)}, {score_row("b", 0)}).at(0).again == "no score");
}

TEST_CASE("verification: of a score's parts the worst is named") {
  const std::vector scores = {score_row("a", 0.5)};
  Store stored = store_with(scores, {sample_score_row("a", 0, 1), sample_score_row("a", 1, 1),
                                     sample_score_row("a", 2, 1)});
  Store again = store_with(scores, {sample_score_row("a", 0, 1), sample_score_row("a", 1, 3),
                                    sample_score_row("a", 2, 2)});
  const auto found = compare_scores(stored, "id", again, "id");
  CHECK(found.scores == 1);
  REQUIRE(found.differences.size() == 1);
  CHECK(found.differences[0].part == 1);
  CHECK(found.differences[0].by == 2);
}

TEST_CASE("verification: what decides digits is told from what does not") {
  const std::string here =
      "cpu: A\nsystem: Linux 6\nopenblas: Haswell\nconfinement: landlock\n"
      "plugin: /a/mine.py: /usr/bin/python3, python 3.11.2, numpy 1.24.2\nconoscope: 1 (abc)\n";
  const std::string same =
      "cpu: A\nsystem: Linux 7\nopenblas: Haswell\nconfinement: off\nartifact cpu: C\n"
      "plugin: /b/mine.py: /opt/python3, python 3.11.2, numpy 1.24.2\nconoscope: 1 (abc)\n"
      "plugin: /a/of_others.py: /usr/bin/python3, python 3.9\n";
  CHECK(environment_differences(made_in(same), made_in(here)).empty());
  const std::string other =
      "cpu: B\nplugin: mine.py: /usr/bin/python3, python 3.12\nconoscope: 1 (abc)\n";
  using Differences = std::vector<EnvironmentDifference>;
  CHECK(environment_differences(made_in(other), made_in(here)) ==
        Differences{{"cpu", "B", "A"},
                    {"openblas", "not recorded", "Haswell"},
                    {"plugin mine.py", "python 3.12", "python 3.11.2, numpy 1.24.2"}});
  // A dataset and a model of one id are two files.
  const std::string files = "p 1.0.0 aa; p 1.0.0 bb; svd 1.0.0 cc";
  CHECK(environment_differences(made_in("", files), made_in("", files)).empty());
  CHECK(environment_differences(made_in("", "p 1.0.0 aa; p 1.0.0 xx; svd 1.0.0 yy; f 1.0.0 ff"),
                                made_in("", files)) ==
        Differences{{"plugin p (again)", "1.0.0 xx", "1.0.0 bb"},
                    {"plugin svd", "1.0.0 yy", "1.0.0 cc"}});
}

TEST_CASE("verification: a bit counts in the same environment, elsewhere what is not within") {
  const Outcome here = made_in("cpu: A\n"), there = made_in("cpu: B\n");
  ScoreComparison scores;
  CHECK(compare_outcomes(here, here, scores).repetition == Repetition::kSame);
  scores.differences = {{"near", std::nullopt, "0", "1e-9", 1e-9, true},
                        {"far", std::nullopt, "0", "1e-7", 1e-7, true}};
  const auto same_place = compare_outcomes(here, here, scores);
  CHECK(same_place.repetition == Repetition::kDiffers);
  CHECK(same_place.differences.size() == 2);
  const auto elsewhere = compare_outcomes(here, there, scores);
  CHECK(elsewhere.repetition == Repetition::kWithin);
  CHECK(elsewhere.elsewhere.size() == 1);
  REQUIRE(elsewhere.differences.size() == 1);
  CHECK(elsewhere.differences[0].metric == "far");
  scores.differences.push_back({"lost", std::nullopt, "0", "undefined", std::nullopt, false});
  const auto lost = compare_outcomes(here, there, scores);
  CHECK(lost.repetition == Repetition::kDiffers);
  REQUIRE(lost.differences.size() == 1);
  CHECK(lost.differences[0].metric == "lost");
  Outcome other_status = there;
  other_status.status = "not_applicable";
  const auto status = compare_outcomes(here, other_status, ScoreComparison());
  CHECK(status.repetition == Repetition::kDiffers);
  REQUIRE(status.differences.size() == 1);
  CHECK(status.differences[0].again == "not_applicable");
}
