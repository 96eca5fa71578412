// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include "datasets/tabular_toy/formula.h"
#include "harness/core/border/metadata.h"
#include "tests/support/capture_binding.h"
#include "tests/support/outcomes.h"
#include "tests/support/plugin_driver.h"

using namespace conoscope::testing;
using namespace conoscope::datasets;

namespace {

Outcome outcome_of(const Arguments& arguments, std::uint64_t seed = 0) {
  Host host;
  host.seed = seed;
  return plugin("tabular_toy").load(arguments, host);
}

Bundle load(const Arguments& arguments, std::uint64_t seed = 0) {
  const Outcome outcome = outcome_of(arguments, seed);
  REQUIRE(outcome.error == "");
  return outcome.out;
}

/// Whether each row's concepts and label have a property.
struct Row {
  std::vector<bool> c;
  bool y;
};
std::vector<Row> rows_of(const Bundle& data) {
  const auto c = data.values<float>("concepts");
  const auto y = data.values<std::int64_t>("labels");
  const std::size_t k = c.size() / y.size();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < y.size(); ++i) {
    rows.push_back({{}, y[i] == 1});
    for (std::size_t j = 0; j < k; ++j) rows.back().c.push_back(c[i * k + j] == 1.0F);
  }
  return rows;
}

using Bit = std::function<bool(const Row&)>;

/// The share of rows within four standard errors, sqrt(p (1 - p) / n): once in 16,000 draws of a
/// right p it is not, and the seeds are fixed.
void check_share(const std::vector<Row>& rows, double p, const Bit& bit) {
  const auto n = static_cast<double>(rows.size());
  const double share = static_cast<double>(std::ranges::count_if(rows, bit)) / n;
  CAPTURE(share);
  CAPTURE(p);
  CHECK(std::abs(share - p) < 4.0 * std::sqrt(p * (1.0 - p) / n));
}

/// Plug-in mutual information of two bits, in bits.
double information(const std::vector<Row>& rows, const Bit& a, const Bit& b) {
  std::array<std::array<double, 2>, 2> p{};
  for (const Row& row : rows) p[a(row)][b(row)] += 1.0 / static_cast<double>(rows.size());
  double sum = 0.0;
  for (const std::size_t i : {0U, 1U})
    for (const std::size_t j : {0U, 1U})
      if (p[i][j] > 0.0)
        sum += p[i][j] * std::log2(p[i][j] / ((p[i][0] + p[i][1]) * (p[0][j] + p[1][j])));
  return sum;
}

/// Two fair bits that agree with probability p know I = 1 - H2(p) of each other. The plug-in
/// estimate has the standard error |log2(p / (1-p))| sqrt(p (1-p) / n); near p = 1/2, where that
/// vanishes, 2 n ln 2 times the estimate is chi-squared with one degree of freedom, below 16 as
/// often as a normal number is within four standard errors.
void check_information(const std::vector<Row>& rows, double p, const Bit& a, const Bit& b) {
  const auto n = static_cast<double>(rows.size());
  const double exact = 1.0 + p * std::log2(p) + (1.0 - p) * std::log2(1.0 - p);
  const double error = std::abs(std::log2(p / (1.0 - p))) * std::sqrt(p * (1.0 - p) / n);
  CHECK(std::abs(information(rows, a, b) - exact) <
        4.0 * error + 16.0 / (2.0 * n * std::numbers::ln2));
}

Bit concept_bit(std::size_t j) {
  return [j](const Row& row) { return row.c[j]; };
}
bool label_bit(const Row& row) { return row.y; }

constexpr std::int64_t kSamples = 20000;

}  // namespace

TEST_CASE("tabular_toy: the seven inputs, the concepts and every label of one row by hand") {
  const double half_pi = std::numbers::pi / 2;
  const std::array<double, 3> z = {half_pi, 0.0, -2.0};
  std::array<double, 7> x{};
  tabular_toy_inputs(z, x);
  CHECK(x[0] == doctest::Approx(1.0 + half_pi));
  CHECK(x[1] == doctest::Approx(half_pi));
  CHECK(x[2] == 0.0);
  CHECK(x[3] == 1.0);
  CHECK(x[4] == doctest::Approx(-2.9092974268256817));
  CHECK(x[5] == doctest::Approx(-2.4161468365471424));
  CHECK(x[6] == doctest::Approx(half_pi * half_pi + 4.0));
  CHECK(tabular_toy_concept(0.0) == 0);
  CHECK(tabular_toy_concept(0x1p-1000) == 1);

  // c1 c2 c3: the four labels of three latents.
  using Task = TabularToyTask;
  for (int bits = 0; bits < 8; ++bits) {
    CAPTURE(bits);
    const bool c1 = bits & 4, c2 = bits & 2, c3 = bits & 1;
    const std::array<std::int64_t, 3> c = {c1, c2, c3};
    CHECK(tabular_toy_label(c, Task::majority) == (c1 + c2 + c3 >= 2));
    CHECK(tabular_toy_label(c, Task::two_concepts) == (c1 || c2));
    CHECK(tabular_toy_label(c, Task::misspecified_as_printed) == (c3 && (c1 || c2)));
    CHECK(tabular_toy_label(c, Task::misspecified_coefficient_2) == (c3 && c1 != c2));
  }
  for (int bits = 0; bits < 32; ++bits) {
    CAPTURE(bits);
    std::array<std::int64_t, 5> c{};
    for (int j = 0; j < 5; ++j) c[static_cast<std::size_t>(j)] = bits >> j & 1;
    CHECK(tabular_toy_label(c, Task::blocks) == (c[0] + c[1] + c[2] < 2 && c[3] && c[4]));
  }
}

TEST_CASE("tabular_toy: twelve inputs of five latents") {
  const std::array<double, 5> z = {1.0, -1.0, 0.5, 2.0, -3.0};
  std::array<double, 12> x{};
  tabular_toy_inputs(z, x);
  CHECK(x[6] == 2.25);
  CHECK(x[7] == doctest::Approx(std::sin(2.0) + 2.0));
  CHECK(x[10] == doctest::Approx(std::cos(-3.0) - 3.0));
  CHECK(x[11] == 13.0);

  const std::array<double, 4> four{};
  CHECK_THROWS_WITH_AS(tabular_toy_inputs(four, x), "tabular_toy_width: 4 latents, expected 3 or 5",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(tabular_toy_inputs(std::span(z).first(3), x),
                       "tabular_toy_inputs: 12 inputs for 3 latents", std::invalid_argument);
  const std::array<std::int64_t, 3> c{};
  CHECK_THROWS_WITH_AS(tabular_toy_label(c, TabularToyTask::blocks),
                       "tabular_toy_label: 3 concepts, expected 5", std::invalid_argument);
  CHECK_THROWS_WITH_AS(tabular_toy_task("xor"), "tabular_toy: task is xor", std::invalid_argument);
}

TEST_CASE("tabular_toy: what is written is what the formula makes of the latents") {
  for (const auto& [task, width, latents, concepts] :
       {std::tuple("majority", 7, 3, 3), std::tuple("two_concepts", 7, 3, 2),
        std::tuple("blocks", 12, 5, 5)}) {
    CAPTURE_BINDING(task);
    const Bundle data = load({{"task", task}, {"samples", 500}}, 3);
    CHECK(data.shape("inputs") == std::vector<std::int64_t>{500, width});
    CHECK(data.shape("factors") == std::vector<std::int64_t>{500, latents});
    CHECK(data.shape("concepts") == std::vector<std::int64_t>{500, concepts});
    CHECK(data.texts.at("task") == "classification");
    const auto z = data.values<double>("factors");
    const auto inputs = data.values<float>("inputs"), c = data.values<float>("concepts");
    const auto w = static_cast<std::size_t>(width), m = static_cast<std::size_t>(latents),
               k = static_cast<std::size_t>(concepts);
    std::vector<double> x(w);
    std::vector<std::int64_t> row(m);
    for (std::size_t i = 0; i < 500; ++i) {
      tabular_toy_inputs(z.subspan(i * m, m), x);
      for (std::size_t j = 0; j < w; ++j) REQUIRE(inputs[i * w + j] == static_cast<float>(x[j]));
      for (std::size_t j = 0; j < m; ++j) row[j] = z[i * m + j] > 0.0;
      for (std::size_t j = 0; j < k; ++j) REQUIRE(c[i * k + j] == static_cast<float>(row[j]));
      REQUIRE(data.values<std::int64_t>("labels")[i] ==
              tabular_toy_label(row, tabular_toy_task(task)));
    }
  }
}

TEST_CASE("tabular_toy: the closed forms of probabilities and information, three seeds") {
  for (const double delta : {0.0, 0.25, 0.5, 0.75, 0.95})
    for (const std::uint64_t seed : {0U, 1U, 2U}) {
      CAPTURE(delta);
      CAPTURE(seed);
      const double a = std::asin(delta), pi = std::numbers::pi;
      const auto rows = rows_of(load({{"delta", delta}, {"samples", kSamples}}, seed));
      check_share(rows, 0.5, label_bit);
      check_share(rows, 1.0 / 8 + 3 * a / (4 * pi),
                  [](const Row& row) { return row.c[0] && row.c[1] && row.c[2]; });
      for (const std::size_t i : {0U, 1U, 2U}) {
        const std::size_t j = (i + 1) % 3;
        check_share(rows, 0.5, concept_bit(i));
        check_share(rows, 1.0 / 2 + a / pi, [&](const Row& row) { return row.c[i] == row.c[j]; });
        check_share(rows, 3.0 / 4 + a / (2 * pi),
                    [&](const Row& row) { return row.c[i] == row.y; });
        check_information(rows, 1.0 / 2 + a / pi, concept_bit(i), concept_bit(j));
        check_information(rows, 3.0 / 4 + a / (2 * pi), concept_bit(i), label_bit);
      }
    }
}

TEST_CASE("tabular_toy: the closed forms of the other labels, three seeds") {
  const double delta = 0.25, a = std::asin(delta), pi = std::numbers::pi;
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    CAPTURE(seed);
    const auto rows = [&](const char* task) {
      return rows_of(load({{"task", task}, {"samples", kSamples}}, seed));
    };
    check_share(rows("two_concepts"), 3.0 / 4 - a / (2 * pi), label_bit);
    check_share(rows("misspecified_as_printed"), 3.0 / 8 + a / (4 * pi), label_bit);
    check_share(rows("misspecified_coefficient_2"), 1.0 / 4 - a / (2 * pi), label_bit);
    const auto blocks = rows("blocks");
    check_share(blocks, (1.0 / 4 + a / (2 * pi)) / 2, label_bit);
    check_share(blocks, 1.0 / 2 + a / pi, [](const Row& row) { return row.c[3] == row.c[4]; });
    check_share(blocks, 1.0 / 2, [](const Row& row) { return row.c[0] == row.c[4]; });
  }
}

TEST_CASE("tabular_toy: the latents have unit variance and the covariance delta") {
  const double delta = 0.75;
  const Bundle data = load({{"delta", delta}, {"samples", kSamples}}, 5);
  const auto z = data.values<double>("factors");
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = i; j < 3; ++j) {
      double sum = 0.0;
      for (std::size_t row = 0; row < z.size(); row += 3) sum += z[row + i] * z[row + j];
      const double expected = i == j ? 1.0 : delta;
      // The variance of a product of two normals with correlation r is 1 + r^2.
      const double error = std::sqrt((1.0 + expected * expected) / kSamples);
      CHECK(std::abs(sum / kSamples - expected) < 4.0 * error);
    }
}

TEST_CASE("tabular_toy: incomplete concepts leave the rest as it is") {
  const Bundle whole = load({{"samples", 300}}),
               part = load({{"samples", 300}, {"annotated", std::vector<std::int64_t>{3, 1}}});
  CHECK((whole.arrays.at("inputs") == part.arrays.at("inputs")));
  CHECK((whole.arrays.at("labels") == part.arrays.at("labels")));
  REQUIRE(part.shape("concepts") == std::vector<std::int64_t>{300, 2});
  const auto all = whole.values<float>("concepts"), some = part.values<float>("concepts");
  for (std::size_t i = 0; i < 300; ++i) {
    REQUIRE(some[2 * i] == all[3 * i + 2]);
    REQUIRE(some[2 * i + 1] == all[3 * i]);
  }
}

TEST_CASE("tabular_toy: a split of 70, 20 and 10 percent, by seed") {
  const Bundle data = load({}, 4);
  const auto train = data.values<std::int64_t>("train_index"),
             test = data.values<std::int64_t>("test_index");
  CHECK(train.size() == 7000);
  CHECK(test.size() == 1000);
  CHECK(std::ranges::is_sorted(train));
  CHECK(std::ranges::is_sorted(test));
  std::set<std::int64_t> rows(train.begin(), train.end());
  rows.insert(test.begin(), test.end());
  CHECK(rows.size() == 8000);
  CHECK(load({{"validation_share", 0.0}}).shape("train_index")[0] == 9000);
  CHECK((data == load({}, 4)));
  const Bundle other = load({}, 5);
  CHECK_FALSE((data.arrays.at("inputs") == other.arrays.at("inputs")));
  CHECK_FALSE((data.arrays.at("test_index") == other.arrays.at("test_index")));
  // With a seed of its own, data and split are those of that seed in every run.
  CHECK((load({{"data_seed", 5}}, 4) == load({{"data_seed", 5}}, 7)));
  CHECK_FALSE((load({{"data_seed", 5}}) == load({{"data_seed", 6}})));
}

TEST_CASE("tabular_toy: every bad value is refused with the argument's name") {
  using conoscope::core::Value;
  const auto metadata =
      conoscope::core::parse_metadata(plugin("tabular_toy").metadata(), "tabular_toy");
  const std::vector<std::pair<const char*, Value>> bad = {
      {"delta", -0.1},           {"delta", 1.0},
      {"delta", std::nan("")},   {"samples", 9},
      {"samples", 100.5},        {"task", "xor"},
      {"annotated", true},       {"validation_share", -0.1},
      {"validation_share", 1.0}, {"test_share", 0.0},
      {"test_share", 0.95},      {"data_seed", -2},
  };
  for (const auto& [name, value] : bad) {
    CAPTURE_BINDING(name);
    std::string said;
    try {
      metadata.parameter(name)->check(value);
    } catch (const std::invalid_argument& error) {
      said = error.what();
    }
    CHECK(said.starts_with(std::string(name) + " = "));
  }
  // What the metadata cannot say is the plugin's to refuse.
  const auto refuses = [](const Arguments& arguments, const std::string& message) {
    check_fault(outcome_of(arguments), CONO_INVALID_ARGUMENT, message);
  };
  const std::string list = "tabular_toy: annotated: ";
  using Numbers = std::vector<std::int64_t>;
  refuses({{"annotated", Numbers{1, 4}}}, list + "4 is none of the concepts 1 to 3");
  refuses({{"annotated", Numbers{0}}}, list + "0 is none of the concepts 1 to 3");
  refuses({{"annotated", Numbers{2, 1, 2}}}, list + "2 is listed twice");
  refuses({{"annotated", Numbers{3}}, {"task", "two_concepts"}},
          list + "3 is none of the concepts 1 to 2");
}
