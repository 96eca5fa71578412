// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/comparison.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "numerics/statistics/detectable_effect.h"
#include "numerics/statistics/distributions.h"
#include "tests/support/throws.h"

using namespace conoscope::results;

namespace {

std::vector<ComparedNumber> side(const std::string& row, std::vector<double> values) {
  std::vector<ComparedNumber> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.push_back({row, "seed " + std::to_string(i), values[i]});
  return out;
}

std::vector<ComparedNumber> both(std::vector<ComparedNumber> one,
                                 const std::vector<ComparedNumber>& two) {
  one.insert(one.end(), two.begin(), two.end());
  return one;
}

}  // namespace

TEST_CASE("a paired row by hand") {
  const auto out = compare(side("m", {2, 4, 6}), side("m", {1, 2, 3}), {});
  REQUIRE(out.rows.size() == 1);
  const auto& row = out.rows[0];
  CHECK(row.mean_a == 4);
  CHECK(row.mean_b == 2);
  CHECK(row.difference == 2);
  CHECK(row.p.value() == doctest::Approx(0.0741799));
  CHECK(row.low.value() == doctest::Approx(-0.4841377));
  CHECK(row.high.value() == doctest::Approx(4.4841377));
  CHECK_FALSE(row.different);
  CHECK(row.detectable.value() ==
        doctest::Approx(conoscope::numerics::minimum_detectable_effect(3)));  // sd is 1
  CHECK(row.needed == conoscope::numerics::pairs_needed(2.0));
  CHECK(row.needed.value() > 3);
  CHECK_FALSE(out.different());
}

TEST_CASE("Holm over the rows, and what is planned at its strictest step") {
  const auto a = both(side("m", {2, 4, 6}), side("n", {1, 1.1, 1.2}));
  const auto b = both(side("m", {1, 2, 3}), side("n", {0, 0.1, 0.21}));
  const auto out = compare(a, b, {});
  REQUIRE(out.rows.size() == 2);
  CHECK(out.rows[0].p_corrected == out.rows[0].p);
  CHECK(out.rows[1].p_corrected.value() == doctest::Approx(2 * out.rows[1].p.value()));
  CHECK(out.rows[1].different);
  CHECK(out.different());
  CHECK(out.rows[0].needed == conoscope::numerics::pairs_needed(2.0, 0.025));
  ComparisonOptions none;
  none.correction = Correction::kNone;
  CHECK(compare(a, b, none).rows[1].p_corrected == out.rows[1].p);
  CHECK(compare(a, b, none).rows[0].needed == conoscope::numerics::pairs_needed(2.0));
}

TEST_CASE("rows about the same thing that are equal bit for bit are one test") {
  const auto about = [](std::vector<ComparedNumber> numbers, const std::string& what) {
    for (ComparedNumber& one : numbers) one.about = what;
    return numbers;
  };
  const auto compared = [&](const std::string& same, const std::string& other, double last,
                            Correction correction) {
    const auto rows = [&](double m, double n) {
      return both(both(about(side("m", {2 * m, 4 * m, 6 * m}), "d"),
                       about(side("n", {n, n + 0.1, n * 1.21}), other)),
                  about(side(same, {2 * m, 4 * m, last * m}), "d"));
    };
    ComparisonOptions options;
    options.correction = correction;
    return compare(rows(1, 1), rows(0.5, 0.1), options);
  };
  const auto out = compared("m again", "d", 6, Correction::kHolm);
  REQUIRE(out.rows.size() == 3);
  CHECK(out.rows[0].same_as.empty());
  CHECK(out.rows[1].same_as.empty());
  CHECK(out.rows[2].same_as == "m");
  CHECK(out.rows[1].p_corrected.value() == doctest::Approx(2 * out.rows[1].p.value()));  // not 3
  CHECK(out.rows[2].p_corrected == out.rows[0].p_corrected);
  CHECK(out.rows[2].needed == conoscope::numerics::pairs_needed(2.0, 0.025));
  // Another last bit is another test, and so is the same of something else.
  CHECK(compared("m again", "d", std::nextafter(6.0, 7.0), Correction::kHolm).rows[2].same_as ==
        "");
  const auto elsewhere =
      compare(both(about(side("m", {2, 4, 6}), "d"), about(side("n", {2, 4, 6}), "e")),
              both(about(side("m", {1, 2, 3}), "d"), about(side("n", {1, 2, 3}), "e")), {});
  CHECK(elsewhere.rows[1].same_as.empty());
  CHECK(elsewhere.rows[1].p_corrected.value() == doctest::Approx(2 * elsewhere.rows[1].p.value()));
}

TEST_CASE("only partners are compared") {
  const auto out = compare(both(side("m", {1, 2, 3, 4}), side("only a", {1})),
                           both(side("m", {1, 2, 3}), side("only b", {5, 6})), {});
  REQUIRE(out.rows.size() == 1);
  CHECK(out.rows[0].n_a == 3);
  CHECK(out.rows[0].mean_a == 2);
  CHECK(out.rows[0].p == 1.0);
  CHECK_FALSE(out.rows[0].detectable.has_value());
  CHECK(out.alone_a == 2);
  CHECK(out.alone_b == 2);
}

TEST_CASE("over datasets n counts them, however many seeds each has") {
  // Three seeds of one dataset and one of each of two others: means 2, 10 and 4.
  const std::vector<std::string> datasets = {"x", "x", "x", "y", "z"};
  const auto on = [&](std::vector<double> values) {
    auto out = side("m", std::move(values));
    for (std::size_t i = 0; i < out.size(); ++i) out[i].dataset = datasets[i];
    return out;
  };
  ComparisonOptions options;
  options.over_datasets = true;
  const auto out = compare(on({1, 2, 3, 10, 4}), on({0, 0, 0, 6, 4}), options);
  const auto& row = out.rows[0];
  CHECK(row.n_a == 3);
  CHECK(row.mean_a == doctest::Approx(16.0 / 3));
  CHECK(row.difference == doctest::Approx(2.0));  // 2, 4 and 0: sd 2, t = sqrt(3)
  const double t = std::sqrt(3.0);
  CHECK(row.p.value() == doctest::Approx(1 - t / std::sqrt(2 + t * t)));
  CHECK(out.alone_a == 0);
}

TEST_CASE("one pair is shown, and not tested") {
  const auto out = compare(side("m", {1}), side("m", {3}), {});
  REQUIRE(out.rows.size() == 1);
  CHECK(out.rows[0].difference == -2);
  CHECK_FALSE(out.rows[0].p.has_value());
  CHECK_FALSE(out.rows[0].p_corrected.has_value());
  CHECK_FALSE(out.different());
}

TEST_CASE("differences that never vary are certain") {
  const auto out = compare(side("m", {1, 1}), side("m", {3, 3}), {});
  CHECK(out.rows[0].p == 0.0);
  CHECK(out.rows[0].different);
  CHECK_FALSE(out.rows[0].needed.has_value());
  CHECK(verdict(out.rows[0], "higher", true) == "B better by 2, the same in all 2 pairs");
  CHECK(verdict(out.rows[0], "none", true) == "B higher by 2, the same in all 2 pairs");
  // 0.3 - 0.1 and 0.5 - 0.3 differ by rounding only.
  CHECK(compare(side("m", {0.3, 0.5}), side("m", {0.1, 0.3}), {}).rows[0].constant);
}

TEST_CASE("Wilcoxon's test: ranks and means may disagree, and power is that of the t test") {
  std::vector<double> a(21, 1.0);
  a[20] = -50.0;
  ComparisonOptions options;
  options.test = PairTest::kWilcoxon;
  const auto out = compare(side("m", a), side("m", std::vector<double>(21, 0.0)), options);
  CHECK(out.rows[0].different);
  CHECK(out.rows[0].difference < 0.0);
  CHECK(verdict(out.rows[0], "higher", true) == "different: A higher by ranks, B by the mean");
  const auto few = compare(side("m", {1.0, 1.1, 0.9, 1.05, 0.95}),
                           side("m", std::vector<double>(5, 0.0)), options);
  CHECK(verdict(few.rows[0], "higher", true) == "not separable with 5 pairs");
}

TEST_CASE("groups without partners") {
  ComparisonOptions options;
  options.paired = false;
  std::vector<ComparedNumber> b = {{"m", "x", 1}, {"m", "y", 3}, {"m", "z", 5}};
  const auto out = compare(side("m", {0, 2}), b, options);
  REQUIRE(out.rows.size() == 1);
  CHECK(out.rows[0].n_b == 3);
  CHECK(out.rows[0].difference == -2);
  CHECK_FALSE(out.rows[0].detectable.has_value());
  CHECK(out.alone_b == 0);
  // As many tenths as you like: their sums are rounded, and they are equal.
  const auto tenths =
      compare(side("m", {0.1, 0.1, 0.1}), {{"m", "x", 0.1}, {"m", "y", 0.1}}, options);
  CHECK(tenths.rows[0].p == 1.0);
  CHECK_FALSE(tenths.different());
  CHECK(verdict(tenths.rows[0], "lower", false) == "equal in all 3 and 2 values");
}

TEST_CASE("comparison: what is refused") {
  CHECK_THROWS_SAYING(compare(both(side("m", {1}), side("m", {2})), side("m", {1}), {}),
                      std::invalid_argument, "A has two numbers for m at seed 0");
  ComparisonOptions options;
  options.alpha = 0;
  CHECK_THROWS_SAYING(compare({}, {}, options), std::invalid_argument, "alpha");
  options.alpha = 0.05;
  options.power = 0.01;
  CHECK_THROWS_SAYING(compare({}, {}, options), std::invalid_argument, "power");
}

TEST_CASE("differences of rounding are none, and no number of pairs would show them") {
  const auto out = compare(side("m", {0.1 + 0.2, 1.0, 3e-18}), side("m", {0.3, 1.0, 1.2e-18}), {});
  REQUIRE(out.rows.size() == 1);
  CHECK(out.rows[0].equal);
  CHECK_FALSE(out.rows[0].detectable.has_value());
  CHECK_FALSE(out.rows[0].needed.has_value());
  CHECK(verdict(out.rows[0], "lower", true) == "equal up to rounding in all 3 pairs");
  // However regular they are.
  const auto shifted = compare(side("m", {1, 2, 3}), side("m", {1 + 1e-14, 2 + 1e-14, 3}), {});
  CHECK_FALSE(shifted.different());
  CHECK_FALSE(compare(side("m", {1, 2}), side("m", {1 + 1e-9, 2}), {}).rows[0].equal);
}

TEST_CASE("scores over seeds: the spread that the jackknife of a mean over pairs finds") {
  // Four cells, and a number for each two of them.
  const double pair[4][4] = {{0, 1, 2, 4}, {1, 0, 8, 3}, {2, 8, 0, 5}, {4, 3, 5, 0}};
  const auto mean_without = [&](int left_out) {
    double sum = 0, count = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j)
        if (i != left_out && j != left_out) sum += pair[i][j], ++count;
    return sum / count;
  };
  std::vector<double> scores;
  double mean = 0, jackknife = 0;
  for (int i = 0; i < 4; ++i) {
    scores.push_back((pair[i][0] + pair[i][1] + pair[i][2] + pair[i][3]) / 3);
    mean += mean_without(i) / 4;
  }
  for (int i = 0; i < 4; ++i) jackknife += 3.0 / 4 * std::pow(mean_without(i) - mean, 2);
  auto a = side("m", scores), b = side("m", {0, 0, 0, 0});
  for (auto* numbers : {&a, &b})
    for (auto& one : *numbers) one.over_seeds = true;
  const auto row = compare(a, b, {}).rows.at(0);
  const double t = conoscope::numerics::student_two_sided_quantile(0.95, 3);
  CHECK(row.difference == doctest::Approx(mean_without(-1)));
  CHECK(row.high.value() - row.difference == doctest::Approx(t * std::sqrt(jackknife)));
  ComparisonOptions groups;
  groups.paired = false;
  const auto welch = compare(a, b, groups).rows.at(0);
  CHECK(welch.high.value() - welch.difference == doctest::Approx(t * std::sqrt(jackknife)));
  a.resize(2);
  b.resize(2);
  const auto two = compare(a, b, {}).rows.at(0);
  CHECK_FALSE(two.p);
  CHECK(verdict(two, "higher", true) == "two seeds, which share one comparison: no test");
}
