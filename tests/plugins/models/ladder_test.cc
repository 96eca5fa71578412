// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "tests/support/outcomes.h"
#include "tests/support/plugin_driver.h"

using namespace conoscope::testing;

namespace {

constexpr std::int64_t kSamples = 400;
constexpr std::int64_t kConcepts = 3;

/// Every combination of three concepts fifty times; the label is their majority.
Bundle dataset() {
  Bundle data;
  std::vector<float> concepts, factors;
  std::vector<std::int64_t> labels, train, test;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    std::int64_t there = 0;
    for (std::int64_t j = 0; j < kConcepts; ++j) {
      const std::int64_t c = (i >> j) & 1;
      there += c;
      concepts.push_back(static_cast<float>(c));
      factors.push_back(static_cast<float>(i / (j + 1) % (j + 2)));
    }
    labels.push_back(there >= 2 ? 1 : 0);
    (i < 300 ? train : test).push_back(i);
  }
  data.arrays["concepts"] = OwnedArray::of<float>({kSamples, kConcepts}, concepts);
  data.arrays["factors"] = OwnedArray::of<float>({kSamples, kConcepts}, factors);
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({kSamples}, labels);
  put_split(data, train, test);
  return data;
}

Bundle made(const Plugin& plugin, const Arguments& arguments, const Bundle& data = dataset()) {
  const Outcome outcome = plugin.fit_model(arguments, data);
  REQUIRE(outcome.error == "");
  return outcome.out;
}

/// How often a probability is on its concept's side.
double right(const Bundle& out, const Bundle& data) {
  const auto p = out.values<double>("concept_probabilities");
  const auto c = data.values<float>("concepts");
  int hits = 0;
  for (std::size_t i = 0; i < p.size(); ++i) hits += (p[i] > 0.5) == (c[i] > 0.5F);
  return hits / static_cast<double>(p.size());
}

/// In which quarter of its interval a value lies: that spells the other two concepts.
int quarter_of(double value) {
  const double place = value >= 0.5 ? value - 0.95 : value;
  return static_cast<int>(place / 0.05 * 4.0);
}

}  // namespace

TEST_CASE("ladder_concepts: no sample, and no training row, are refused") {
  Bundle data = dataset();
  data.arrays["train_index"] = OwnedArray::of<std::int64_t>({0}, {});
  check_fault(plugin("ladder_concepts").fit_model({}, data), CONO_INVALID_ARGUMENT,
              "train_index: no training row to fit the task head to");
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({0}, {});
  data.arrays["concepts"] = OwnedArray::of<float>({0, kConcepts}, {});
  check_fault(plugin("ladder_concepts").fit_model({}, data), CONO_INVALID_ARGUMENT,
              "concepts: 0 x 3, there is no sample");
}

TEST_CASE("ladder_concepts: shuffled samples say less of their concept, by the share") {
  const Bundle data = dataset();
  CHECK(right(made(plugin("ladder_concepts"), {}), data) == 1.0);
  CHECK(right(made(plugin("ladder_concepts"), {{"step", "half"}}), data) ==
        doctest::Approx(0.75).epsilon(0.05));
  const Bundle random = made(plugin("ladder_concepts"), {{"step", "random"}});
  CHECK(right(random, data) == doctest::Approx(0.5).epsilon(0.1));
  // Nothing is lost of the values themselves: only their places change.
  const Bundle perfect = made(plugin("ladder_concepts"), {});
  const auto before = perfect.values<double>("concept_scores");
  const auto after = random.values<double>("concept_scores");
  for (std::size_t j = 0; j < 3; ++j) {
    std::multiset<double> a, b;
    for (std::size_t i = j; i < before.size(); i += 3) {
      a.insert(before[i]);
      b.insert(after[i]);
    }
    CHECK(a == b);
  }
}

TEST_CASE("ladder_concepts: mixed samples spell the other concepts, and lose nothing") {
  const Bundle data = dataset();
  const auto c = data.values<float>("concepts");
  const auto spelt = [&](const char* step) {
    const Bundle out =
        made(plugin("ladder_concepts"), {{"step", std::string(step)}, {"disturbance", "mixed"}});
    CHECK(right(out, data) == 1.0);
    const auto scores = out.values<double>("concept_scores");
    int hits = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(kSamples); ++i) {
      const int others = 2 * (c[3 * i + 1] > 0.5F) + (c[3 * i + 2] > 0.5F);
      hits += quarter_of(scores[3 * i]) == others;
    }
    return hits / static_cast<double>(kSamples);
  };
  CHECK(spelt("perfect") == doctest::Approx(0.25).epsilon(0.25));  // by chance
  CHECK(spelt("half") == doctest::Approx(0.625).epsilon(0.1));
  CHECK(spelt("random") == 1.0);
}

TEST_CASE("ladder_concepts: the head answers the labels, and interventions") {
  const Bundle data = dataset();
  const Bundle out = made(plugin("ladder_concepts"), {});
  REQUIRE(out.shape("task_outputs") == std::vector<std::int64_t>{kSamples, 2});
  const auto answers = out.values<double>("task_outputs");
  const auto labels = data.values<std::int64_t>("labels");
  for (std::size_t i = 0; i < labels.size(); ++i)
    CHECK((answers[2 * i + 1] > answers[2 * i]) == (labels[i] == 1));

  const auto told = [&](const Bundle& model) {
    std::vector<double> truth;
    for (const float value : data.values<float>("concepts")) truth.push_back(value);
    const Outcome outcome =
        plugin("ladder_concepts")
            .intervene({}, model, OwnedArray::of<double>({kSamples, kConcepts, 1}, truth));
    REQUIRE(outcome.error == "");
    const auto outputs = outcome.out.values<double>("outputs");
    int hits = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      hits += (outputs[2 * i + 1] > outputs[2 * i]) == (labels[i] == 1);
    return hits / static_cast<double>(kSamples);
  };
  CHECK(told(out) == 1.0);
}

TEST_CASE("ladder_concepts: embeddings hold each number of a concept by itself") {
  const Bundle out = made(plugin("ladder_concepts"), {{"width", 4}});
  CHECK(out.shape("concept_scores") == std::vector<std::int64_t>{kSamples, kConcepts, 4});
  CHECK(right(out, dataset()) == 1.0);
}

TEST_CASE("ladder_codes: perfect codes are the standardised factors; shuffled ones lose them") {
  const Bundle data = dataset();
  const auto factors = data.values<float>("factors");
  const auto correlation = [&](const Bundle& out) {
    const auto z = out.values<double>("codes");
    double sum = 0.0, mean = 0.0, square = 0.0;
    for (std::size_t i = 2; i < z.size(); i += 3) mean += factors[i] / kSamples;
    for (std::size_t i = 2; i < z.size(); i += 3) {
      square += (factors[i] - mean) * (factors[i] - mean) / kSamples;
      sum += z[i] * (factors[i] - mean) / kSamples;
    }
    return sum / std::sqrt(square);
  };
  CHECK(correlation(made(plugin("ladder_codes"), {})) == doctest::Approx(1.0));
  CHECK(correlation(made(plugin("ladder_codes"), {{"step", "half"}})) ==
        doctest::Approx(0.5).epsilon(0.2));
  CHECK(std::abs(correlation(made(plugin("ladder_codes"), {{"step", "random"}}))) < 0.15);
}

TEST_CASE("ladder_codes: a constant factor becomes 0") {
  // The mean of 10,000 times 0.1 is rounded, so that something is left.
  constexpr std::int64_t kMany = 10000;
  Bundle data;
  std::vector<double> factors;
  for (std::int64_t i = 0; i < kMany; ++i)
    factors.insert(factors.end(), {0.1, static_cast<double>(i % 3)});
  data.arrays["factors"] = OwnedArray::of<double>({kMany, 2}, factors);
  put_split(data, {0, 1, 2}, {3, 4, 5});
  const Bundle out = made(plugin("ladder_codes"), {}, data);
  const auto codes = out.values<double>("codes");
  CHECK(std::abs(codes[1]) > 1.0);
  for (std::size_t i = 0; i < codes.size(); i += 2) REQUIRE(codes[i] == 0.0);
}

TEST_CASE("ladder_codes: mixed codes hold their own factor by a falling share, and lose none") {
  Bundle data;  // two factors, crossed: their standardised columns are orthogonal
  std::vector<double> factors;
  for (int i = 0; i < 36; ++i) {
    factors.push_back(i % 6);
    factors.push_back(i / 6);
  }
  data.arrays["factors"] = OwnedArray::of<double>({36, 2}, factors);
  const Bundle whole = made(plugin("ladder_codes"), {}, data);
  const auto perfect = whole.values<double>("codes");
  double before = 1.0;
  for (const char* step : {"half", "random"}) {
    CAPTURE(step);
    const Bundle out =
        made(plugin("ladder_codes"), {{"step", std::string(step)}, {"disturbance", "mixed"}}, data);
    const auto z = out.values<double>("codes");
    for (std::size_t j = 0; j < 2; ++j) {
      double own = 0.0, other = 0.0;
      for (std::size_t i = 0; i < 36; ++i) {
        own += z[2 * i + j] * perfect[2 * i + j] / 36.0;
        other += z[2 * i + j] * perfect[2 * i + 1 - j] / 36.0;
      }
      CHECK(own * own + other * other == doctest::Approx(1.0));  // nothing but the factors
      const double weight = std::abs(other / own), share = step[0] == 'h' ? 0.5 : 1.0;
      CHECK(weight >= 0.5 * share);
      CHECK(weight < share);
      if (j == 0) {
        CHECK(own < before);
        before = own;
      }
    }
  }
}

TEST_CASE("ladders: what they refuse") {
  Bundle data = dataset();
  data.arrays["concepts"] = OwnedArray::of<float>({2, 2}, {0, 1, 0.5F, 1});
  check_fault(plugin("ladder_concepts").fit_model({}, data), CONO_NOT_APPLICABLE,
              "concepts: entry 2 of 2 x 2 is neither 0 nor 1");
  data.arrays["concepts"] = OwnedArray::of<float>({4, 1}, {0, 1, 0, 1});
  CHECK(plugin("ladder_concepts").fit_model({}, data).error ==
        "concepts: 4 x 1, expected n x k with k >= 2");
  data = dataset();
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({3}, {0, 1, 0});
  CHECK(plugin("ladder_concepts").fit_model({}, data).error ==
        "labels: 3 for 400 rows of concepts");
  std::vector<std::int64_t> labels(400, 1);
  labels[3] = -2;
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({400}, labels);
  CHECK(plugin("ladder_concepts").fit_model({}, data).error ==
        "labels: row 3 is -2; classes count from 0");
  data = dataset();
  data.arrays["factors"] = OwnedArray::of<double>({2, 1}, {0, NAN});
  CHECK(plugin("ladder_codes").fit_model({}, data).error ==
        "factors: entry 1 of 2 x 1 is not finite");
}
