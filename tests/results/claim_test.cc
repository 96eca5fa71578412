// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/claim.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace conoscope::results;

namespace {

using Seeds = std::map<std::int64_t, double>;

/// Three seeds around a mean; the 95 % interval of the mean is +- 2.484 spread.
Seeds around(double mean, double spread) {
  return {{0, mean - spread}, {1, mean}, {2, mean + spread}};
}

Verdict of(Rule rule, std::vector<Seeds> subjects, double bound = 0,
           std::vector<double> theirs = {}, std::vector<double> half = {}) {
  return judge({rule, bound, std::move(theirs), std::move(half), std::move(subjects), {}, {}});
}

}  // namespace

TEST_CASE("claim: ascending, by paired differences") {
  // The spread is shared by the pairs: the differences are 0.09, 0.1 and 0.11.
  CHECK(of(Rule::kAscending, {around(1, 5), around(1.1, 5.01), around(1.2, 5.02)}) ==
        Verdict::kReproduced);
  // One step down decides, whatever the others do.
  CHECK(of(Rule::kAscending, {around(1, 5), around(1.2, 5.02), around(1.1, 5.01)}) ==
        Verdict::kNotReproduced);
  // Differences -0.4, 0.1, 0.6: nobody knows.
  CHECK(of(Rule::kAscending, {around(1, 0.5), around(1.1, 1)}) == Verdict::kOpen);
  // One pair has no interval; a seed without a partner is no pair.
  CHECK(of(Rule::kAscending, {{{0, 1.0}}, {{0, 2.0}}}) == Verdict::kOpen);
  CHECK(of(Rule::kAscending, {{{0, 1.0}, {1, 1.0}}, {{1, 2.0}, {2, 2.0}}}) == Verdict::kOpen);
  // Equal numbers do not ascend.
  CHECK(of(Rule::kAscending, {around(1, 0), around(1, 0)}) == Verdict::kOpen);
}

TEST_CASE("claim: bounds, equality and published intervals") {
  CHECK(of(Rule::kAbove, {around(1, 0.1), around(2, 0.1)}, 0.7) == Verdict::kReproduced);
  CHECK(of(Rule::kAbove, {around(1, 0.1), around(0.5, 0.01)}, 0.7) == Verdict::kNotReproduced);
  CHECK(of(Rule::kAbove, {around(1, 0.1), around(0.8, 0.1)}, 0.7) == Verdict::kOpen);
  CHECK(of(Rule::kBelow, {around(1, 0.1)}, 1.3) == Verdict::kReproduced);
  CHECK(of(Rule::kBelow, {around(1, 0.1)}, 0.7) == Verdict::kNotReproduced);
  CHECK(of(Rule::kBelow, {around(1, 0.1)}, 1.2) == Verdict::kOpen);
  CHECK(of(Rule::kBelow, {{{4, 1.0}}}, 9) == Verdict::kOpen);

  CHECK(of(Rule::kEqual, {around(1, 0.1), around(1, 0.1)}) == Verdict::kReproduced);
  CHECK(of(Rule::kEqual, {around(1, 0.1), around(1.05, 0.1)}, 0.1) == Verdict::kReproduced);
  CHECK(of(Rule::kEqual, {around(1, 0.1), around(1.05, 0.1)}, 0.01) == Verdict::kNotReproduced);

  // The interval is 1 +- 0.248.
  CHECK(of(Rule::kAgrees, {around(1, 0.1)}, 0.5, {1.2}) == Verdict::kReproduced);
  CHECK(of(Rule::kAgrees, {around(1, 0.1)}, 0.5, {1.3}) == Verdict::kNotReproduced);
  CHECK(of(Rule::kAgrees, {around(1, 0.1)}, 0.5, {1.3}, {0.2}) == Verdict::kReproduced);
  // The intervals meet, and the difference of 0.3 is beyond sqrt(0.248^2 + 0.1^2).
  CHECK(of(Rule::kAgrees, {around(1, 0.1)}, 0.5, {1.3}, {0.1}) == Verdict::kNotReproduced);
  // Wide intervals meet everything.
  CHECK(of(Rule::kAgrees, {around(1, 0.1)}, 0.1, {1.2}) == Verdict::kOpen);
  CHECK(of(Rule::kAgrees, {around(1, 0.1)}, 0.3, {1.2}, {0.4}) == Verdict::kReproduced);
  CHECK(of(Rule::kAgrees, {around(1, 0.1)}, 0.2, {1.2}, {0.4}) == Verdict::kOpen);
  CHECK(of(Rule::kAgrees, {around(1, 0.1)}, 0.1, {1.0}, {0.1}) == Verdict::kOpen);
}

TEST_CASE("claim: alike is two-sided") {
  // Differences 0.04, 0.05, 0.06: 0.05 +- 0.025.
  CHECK(of(Rule::kAlike, {around(1, 0.1), around(1.05, 0.11)}, 0.1) == Verdict::kReproduced);
  CHECK(of(Rule::kAlike, {around(1, 0.1), around(0.95, 0.11)}, 0.1) == Verdict::kReproduced);
  CHECK(of(Rule::kAlike, {around(1, 0.1), around(1.05, 0.11)}, 0.05) == Verdict::kOpen);
  CHECK(of(Rule::kAlike, {around(1, 0.1), around(1.05, 0.11)}, 0.02) == Verdict::kNotReproduced);
  CHECK(of(Rule::kAlike, {around(1, 0.1), around(0.95, 0.11)}, 0.02) == Verdict::kNotReproduced);
}

TEST_CASE("claim: where seeds split one sample, intervals are wider") {
  const auto of_splits = [](Rule rule, std::vector<Seeds> subjects, double resampled) {
    Claim claim;
    claim.rule = rule;
    claim.bound = 0.7;
    claim.subjects = std::move(subjects);
    claim.resampled = resampled;
    return judge(claim);
  };
  // Differences 0.07, 0.1 and 0.13: 0.1 +- 4.303 * 0.03 sqrt(1/3 + resampled).
  const std::vector<Seeds> steps{around(1, 5), around(1.1, 5.03)};
  CHECK(of_splits(Rule::kAscending, steps, 0) == Verdict::kReproduced);
  CHECK(of_splits(Rule::kAscending, steps, 0.5) == Verdict::kOpen);
  // 1 +- 4.303 * 0.1 sqrt(1/3 + resampled)
  CHECK(of_splits(Rule::kAbove, {around(1, 0.1)}, 0) == Verdict::kReproduced);
  CHECK(of_splits(Rule::kAbove, {around(1, 0.1)}, 0.5) == Verdict::kOpen);
}

TEST_CASE("claim: seeds that draw nothing are one sample") {
  CHECK(of(Rule::kAbove, {around(0.75, 0)}, 0.7) == Verdict::kOpen);
  CHECK(of(Rule::kAgrees, {around(0.75, 0)}, 0, {0.75}) == Verdict::kOpen);
  CHECK(of(Rule::kAscending, {around(2, 0), around(2.5, 0)}) == Verdict::kOpen);
  // An accuracy of 1, a leakage of 0: seeds do draw, and arrive there.
  CHECK(of(Rule::kAbove, {around(1, 0)}, 0.98) == Verdict::kReproduced);
  CHECK(of(Rule::kBelow, {around(0, 0)}, 0.1) == Verdict::kReproduced);
  CHECK(of(Rule::kAscending, {around(20, 0), around(1920, 0)}) == Verdict::kReproduced);  // counts
}

TEST_CASE("claim: a coefficient is not enough without its significance") {
  const auto of = [](std::optional<double> r, std::optional<double> p, double alpha = 0.05) {
    Claim claim;
    claim.rule = Rule::kCorrelates;
    claim.r = r;
    claim.p = p;
    return judge(claim, alpha);
  };
  CHECK(of(0.9, 0.01) == Verdict::kReproduced);
  CHECK(of(0.9, 0.2) == Verdict::kOpen);
  CHECK(of(-0.9, 0.01) == Verdict::kNotReproduced);
  CHECK(of(0.9, 0.01, 0.005) == Verdict::kOpen);
  CHECK(of({}, {}) == Verdict::kNoData);
}

TEST_CASE("claim: what is read together is decided by Holm's procedure") {
  const auto above = [](double mean, double spread) {
    Claim claim;
    claim.rule = Rule::kAbove;
    claim.subjects = {around(mean, spread)};
    return claim;
  };
  // p of a mean of 1 with t = 17.3, 5.2 and 4.4: 0.0033, 0.035, 0.048.
  const Claim sure = above(1, 0.1), likely = above(1, 1 / 3.0), barely = above(1, 0.395);
  CHECK(judge(barely) == Verdict::kReproduced);
  CHECK(judge_together({barely}) == std::vector{Verdict::kReproduced});
  CHECK(judge_together({barely, likely}) == std::vector(2, Verdict::kOpen));
  CHECK(judge_together({barely, sure}) == std::vector(2, Verdict::kReproduced));
  CHECK(judge_together({likely, barely, sure}) ==
        std::vector{Verdict::kOpen, Verdict::kOpen, Verdict::kReproduced});
  // Equality is no test, and what has no number takes no share.
  Claim equal;
  equal.rule = Rule::kEqual;
  equal.subjects = {around(1, 0), around(1, 0)};
  Claim none = above(1, 1);
  none.subjects = {{}};
  CHECK(judge_together({equal, none, barely}) ==
        std::vector{Verdict::kReproduced, Verdict::kNoData, Verdict::kReproduced});
}

TEST_CASE("claim: how many seeds would decide it") {
  Claim claim;
  claim.rule = Rule::kAbove;
  claim.subjects = {around(1, 1)};  // sd 1
  CHECK(judge(claim) == Verdict::kOpen);
  // t(0.975, 6) / sqrt 7 = 0.925, t(0.975, 5) / sqrt 6 = 1.05
  CHECK(seeds_to_decide(claim, 1) == 7);
  CHECK(seeds_to_decide(claim, 10).value() > 7);
  claim.resampled = 1.0;  // one sample says no more, however often it is split
  CHECK_FALSE(seeds_to_decide(claim, 1));
  claim.resampled = 0.0;
  claim.subjects = {around(1, 0)};
  claim.subjects[0] = {{0, 0.75}, {1, 0.75}};
  CHECK_FALSE(seeds_to_decide(claim, 1));
}

TEST_CASE("claim: no number is no verdict, and what is refused") {
  CHECK(of(Rule::kAscending, {around(1, 0), {}}) == Verdict::kNoData);
  CHECK(to_string(Verdict::kNotReproduced) == "not reproduced");
  CHECK_THROWS_WITH_AS(of(Rule::kAscending, {around(1, 0)}),
                       "judge: 1 subjects, expected two or more", std::invalid_argument);
  CHECK_THROWS_AS(of(Rule::kAbove, {}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(of(Rule::kAgrees, {around(1, 0)}),
                       "judge: 0 published values for 1 subjects", std::invalid_argument);
}
