// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/models/concepts/concept_data.h"

using namespace conoscope::testing;

namespace {

Arguments ccd_options(Arguments more) {
  more.insert({{"batch_size", 64}, {"mapping_hidden", 64}});
  return more;
}

}  // namespace

TEST_CASE("ccd: discovers concepts that suffice for the task") {
  const Bundle data = tabular_toy(2000);
  const Arguments arguments = ccd_options({{"epochs", 25}});
  const Outcome model = plugin("ccd").fit_model(arguments, data);
  REQUIRE(model.error == "");
  MESSAGE("task " << told(model, "test_accuracy") << ", completeness "
                  << told(model, "test_completeness"));
  // Measured over 6 seeds and two kernel sets: min 0.965; min 0.984.
  CHECK(told(model, "test_accuracy") >= 0.93);
  CHECK(told(model, "test_completeness") >= 0.9);
  REQUIRE(model.log.size() == 2);
  CHECK(model.log[1] == "ccd: test_completeness " + model.out.texts.at("test_completeness"));
  CHECK(model.out.shape("concept_scores") == std::vector<std::int64_t>{2000, 3, 1});
  CHECK_FALSE(model.out.has("concept_active"));
  CHECK(accuracy(test_rows(model.out, "task_outputs", data), data) ==
        doctest::Approx(told(model, "test_accuracy")).epsilon(1e-5));
  check_answers_itself(plugin("ccd"), arguments, model.out);

  // Scores are not negative, and a row has length 1 unless no concept is near.
  const auto scores = model.out.values<double>("concept_scores");
  for (std::size_t i = 0; i < scores.size(); i += 3) {
    const double length = std::hypot(scores[i], scores[i + 1], scores[i + 2]);
    REQUIRE(std::min({scores[i], scores[i + 1], scores[i + 2]}) >= 0.0);
    REQUIRE((length == 0.0 || std::abs(length - 1.0) < 1e-9));
  }
}

TEST_CASE("ccd: the distinctness term drives concepts apart, the threshold silences weak ones") {
  const Bundle data = tabular_toy(600);
  const auto fit = [&](Arguments more) {
    more.insert({{"epochs", 15}, {"nearness", 0.0}});
    const Outcome model = plugin("ccd").fit_model(ccd_options(more), data);
    REQUIRE(model.error == "");
    return model.out;
  };
  const auto overlap = [](const Bundle& model) {
    const auto c = model.values<float>("state.directions");
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double product = 0.0, a = 0.0, b = 0.0;
        for (std::size_t d = 0; d < 64; ++d) {
          const double u = static_cast<double>(c[i * 64 + d]),
                       v = static_cast<double>(c[j * 64 + d]);
          product += u * v, a += u * u, b += v * v;
        }
        sum += product / std::sqrt(a * b);
      }
    return sum / 3.0;
  };
  const auto silent = [](const Bundle& model) {
    const auto scores = model.values<double>("concept_scores");
    return std::count(scores.begin(), scores.end(), 0.0);
  };
  const Bundle free = fit({{"distinctness", 0.0}}), apart = fit({{"distinctness", 20.0}});
  MESSAGE("mean cosine " << overlap(free) << " and " << overlap(apart));
  // Measured over 6 seeds and two kernel sets: -0.12 ... 0.16 free, -0.48 ... -0.45 apart.
  CHECK(overlap(apart) < overlap(free) - 0.1);
  CHECK(overlap(apart) < -0.3);  // three directions cannot be below -1/2
  // Measured as above: 1800 of 1800, and 674 ... 1055.
  CHECK(silent(fit({{"distinctness", 0.0}, {"threshold", 0.5}})) > silent(free));
}

TEST_CASE("ccd: images, with an MLP head") {
  const Arguments arguments = ccd_options({{"concepts", 12},
                                           {"head", "mlp"},
                                           {"channels", std::vector<std::int64_t>{16, 32}},
                                           {"epochs", 15}});
  const Outcome model = plugin("ccd").fit_model(arguments, digits_with_concepts());
  REQUIRE(model.error == "");
  MESSAGE("task " << told(model, "test_accuracy") << ", completeness "
                  << told(model, "test_completeness"));
  // Measured over 6 seeds and two kernel sets: min 0.981.
  CHECK(told(model, "test_completeness") >= 0.9);
  CHECK(model.out.shape("concept_scores") == std::vector<std::int64_t>{1797, 12, 1});
  check_answers_itself(plugin("ccd"), arguments, model.out);
}

TEST_CASE("ccd: the same seed gives the same bits, another seed other concepts") {
  check_repeatable(plugin("ccd"), ccd_options({{"epochs", 1}}), tabular_toy(200), "concept_scores");
}

TEST_CASE("ccd: without annotated concepts their number must be said") {
  Bundle data = tabular_toy(50);
  data.arrays.erase("concepts");
  CHECK(plugin("ccd").fit_model({}, data).error == "array concepts is missing");
  CHECK(plugin("ccd").fit_model({{"concepts", 1}, {"epochs", 1}}, data).error == "");
}

TEST_CASE("ccd: annotations of any kind do not matter where the concepts are its own") {
  check_own_concepts_need_no_annotations(plugin("ccd"));
}

TEST_CASE("ccd: scores by their sum and overlap over all entries, as in the published code") {
  const Bundle data = tabular_toy(600);
  const Arguments arguments = {{"batch_size", 64},
                               {"epochs", 5},
                               {"score_scale", "sum"},
                               {"distinctness_over", "entries"},
                               {"discovery_epochs", 2}};
  const Outcome model = plugin("ccd").fit_model(arguments, data);
  REQUIRE(model.error == "");
  check_answers_itself(plugin("ccd"), arguments, model.out);
  const auto scores = model.out.values<double>("concept_scores");
  for (std::size_t i = 0; i < 600; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(scores[i * 3 + j] >= 0.0);
      sum += scores[i * 3 + j];
    }
    CHECK((sum == 0.0 || (sum > 0.9 && sum < 1.0)));
  }
}
