// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/models/concepts/concept_data.h"

using namespace conoscope::testing;

namespace {

const Arguments kSmall = {{"epochs", 40},
                          {"samples", 20},
                          {"batch_size", 64},
                          {"latent", 16},
                          {"learning_rate", 0.01},
                          {"patience", 0},
                          {"hidden", std::vector<std::int64_t>{16}}};

const Outcome& fitted() {
  static const Outcome outcome = plugin("scbm").fit_model(kSmall, tabular_toy(600));
  REQUIRE(outcome.error == "");
  return outcome;
}

/// The model's own scores of all rows, with the truth of these concepts written over them.
std::pair<OwnedArray, OwnedArray> told_truth(const Bundle& model, const Bundle& data,
                                             const std::vector<std::int64_t>& which) {
  const auto scores = model.values<double>("concept_scores");
  const auto truth = data.values<float>("concepts");
  std::vector<double> edited(scores.begin(), scores.end()), told(scores.size(), 0.0);
  const std::size_t rows = scores.size() / 3;
  for (std::size_t i = 0; i < rows; ++i)
    for (const std::int64_t j : which) {
      edited[i * 3 + static_cast<std::size_t>(j)] = truth[i * 3 + static_cast<std::size_t>(j)];
      told[i * 3 + static_cast<std::size_t>(j)] = 1.0;
    }
  const auto n = static_cast<std::int64_t>(rows);
  return {OwnedArray::of<double>({n, 3, 1}, edited), OwnedArray::of<double>({n, 3}, told)};
}

std::vector<double> answers(const std::vector<std::int64_t>& which,
                            const Arguments& arguments = kSmall) {
  const Bundle data = tabular_toy(600);
  const auto [edited, told] = told_truth(fitted().out, data, which);
  const Outcome outcome = plugin("scbm").intervene_told(arguments, fitted().out, edited, told);
  REQUIRE(outcome.error == "");
  const auto values = outcome.out.values<double>("outputs");
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("scbm: learns concepts and task") {
  CHECK(told(fitted(), "test_concept_accuracy") > 0.9);
  CHECK(told(fitted(), "test_accuracy") > 0.85);
  CHECK(fitted().out.shape("concept_scores") == std::vector<std::int64_t>{600, 3, 1});
}

TEST_CASE("scbm: told nothing it says what it said, told all it reads the truth") {
  const auto own = fitted().out.values<double>("task_outputs");
  const std::vector<double> nothing = answers({});
  REQUIRE(nothing.size() == own.size());
  for (std::size_t i = 0; i < own.size(); ++i) REQUIRE(nothing[i] == own[i]);
  const Bundle data = tabular_toy(600);
  std::vector<double> of_test;
  const std::vector<double> all = answers({0, 1, 2});
  for (const std::int64_t i : data.values<std::int64_t>("test_index"))
    of_test.insert(of_test.end(), {all[static_cast<std::size_t>(2 * i)],
                                   all[static_cast<std::size_t>(2 * i + 1)]});
  CHECK(accuracy(of_test, data) > 0.99);
}

TEST_CASE("scbm: being told one concept moves the others, whichever logits are written") {
  const std::vector<double> nothing = answers({});
  for (const char* how : {"region", "logit", "percentiles"}) {
    Arguments arguments = kSmall;
    arguments["told"] = std::string(how);
    const std::vector<double> one = answers({0}, arguments);
    CHECK(one != nothing);
    // Concepts share a latent variable here, so that what is left to be drawn is drawn otherwise: the answer
    // is not that of concept 0 written into the same draws of the others.
    CHECK(one != answers({0, 1}, arguments));
  }
  CHECK(answers({0}) != [] {
    Arguments arguments = kSmall;
    arguments["told"] = std::string("logit");
    return answers({0}, arguments);
  }());
}

TEST_CASE("scbm: a covariance of all samples") {
  Arguments arguments = kSmall;
  arguments["covariance"] = std::string("global");
  const Bundle data = tabular_toy(600);
  const Outcome outcome = plugin("scbm").fit_model(arguments, data);
  CHECK(told(outcome, "test_accuracy") > 0.85);
  CHECK_FALSE(outcome.out.has("encoded"));
  const auto [edited, told] = told_truth(outcome.out, data, {1});
  const Outcome one = plugin("scbm").intervene_told(arguments, outcome.out, edited, told);
  REQUIRE(one.error == "");
  CHECK_FALSE((one.out.arrays.at("outputs") == outcome.out.arrays.at("task_outputs")));
}

TEST_CASE("scbm: repeatable, on attributes and regressions, too") {
  Arguments short_one = kSmall;
  short_one["epochs"] = std::int64_t{2};
  Bundle data = tabular_toy(100);
  const Outcome first = plugin("scbm").fit_model(short_one, data);
  CHECK((plugin("scbm").fit_model(short_one, data).out == first.out));
  Host other;
  other.seed = 1;
  CHECK_FALSE((plugin("scbm").fit_model(short_one, data, other).out == first.out));
  data.arrays["targets"] = data.arrays.at("concepts");
  for (const char* task : {"attributes", "regression"}) {
    data.texts["task"] = task;
    const Outcome outcome = plugin("scbm").fit_model(short_one, data);
    REQUIRE(outcome.error == "");
    CHECK(outcome.out.shape("task_outputs") == std::vector<std::int64_t>{100, 3});
  }
}

TEST_CASE("scbm: what it refuses") {
  const auto [edited, told] = told_truth(fitted().out, tabular_toy(600), {0});
  auto strange = edited;
  reinterpret_cast<double*>(strange.bytes.data())[1] = 0.123;
  const Outcome outcome = plugin("scbm").intervene_told(kSmall, fitted().out, strange, told);
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CHECK(outcome.error ==
        "concepts: row 0: its scores of concepts that were not told are none of the model's own");
  auto narrow = told;
  narrow.shape = {900, 2};
  CHECK(plugin("scbm").intervene_told(kSmall, fitted().out, edited, narrow).status ==
        CONO_INVALID_ARGUMENT);
  Bundle data = tabular_toy(60);
  data.arrays["concepts"] = OwnedArray::of<double>({60, 3}, std::vector<double>(180, 0.5));
  CHECK(plugin("scbm").fit_model(kSmall, data).status == CONO_NOT_APPLICABLE);
}
