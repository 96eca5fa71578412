// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of models with a concept view share.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"
#include "tests/plugins/models/check_repeatable.h"

namespace conoscope::testing {

/// TabularToy with covariance 0.25: three latents z, seven inputs; concepts z_i > 0; the task is
/// whether two or more are there. The first fifth of the rows is the test split.
inline Bundle tabular_toy(std::int64_t samples) {
  sdk::Random random(sdk::Seed(5));
  std::vector<float> inputs, concepts;
  std::vector<std::int64_t> labels, train, test;
  for (std::int64_t i = 0; i < samples; ++i) {
    const double shared = std::sqrt(0.25) * random.normal();
    double squares = 0.0;
    int there = 0;
    for (int j = 0; j < 3; ++j) {
      const double z = shared + std::sqrt(0.75) * random.normal();
      inputs.push_back(static_cast<float>(std::sin(z) + z));
      inputs.push_back(static_cast<float>(std::cos(z) + z));
      concepts.push_back(z > 0.0 ? 1.0F : 0.0F);
      squares += z * z;
      there += z > 0.0;
    }
    inputs.push_back(static_cast<float>(squares));
    labels.push_back(there >= 2);
    (i < samples / 5 ? test : train).push_back(i);
  }
  Bundle data;
  data.arrays["inputs"] = OwnedArray::of<float>({samples, 7}, inputs);
  data.arrays["concepts"] = OwnedArray::of<float>({samples, 3}, concepts);
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({samples}, labels);
  put_split(data, train, test);
  data.texts["task"] = "classification";
  return data;
}

/// The digits with four attributes of theirs as concepts and the digit as the task.
inline Bundle digits_with_concepts() {
  const Plugin digits(plugin_file("digits"));
  Bundle data = digits.load({}).out;
  data.arrays["concepts"] = digits.load({{"task", "attributes"}}).out.arrays.at("targets");
  return data;
}

inline double told(const Outcome& outcome, const std::string& score) {
  return std::stod(outcome.out.texts.at(score));
}

/// What is read where `truth` (0 or 1 by concept) is written over every concept of the test rows.
inline OwnedArray told_concepts(const Bundle& model, const Bundle& data, bool inverted = false) {
  const auto& shape = model.shape("concept_scores");
  const auto active = model.values<double>("concept_active"),
             inactive = model.values<double>("concept_inactive");
  const auto truth = data.values<float>("concepts");
  const auto test = data.values<std::int64_t>("test_index");
  std::vector<double> edited;
  for (const std::int64_t i : test)
    for (std::int64_t j = 0; j < shape[1]; ++j)
      for (std::int64_t w = 0; w < shape[2]; ++w) {
        const bool there = truth[static_cast<std::size_t>(i * shape[1] + j)] > 0.5F;
        const auto at = static_cast<std::size_t>((i * shape[1] + j) * shape[2] + w);
        edited.push_back(there != inverted ? active[at] : inactive[at]);
      }
  return OwnedArray::of<double>({static_cast<std::int64_t>(test.size()), shape[1], shape[2]},
                                edited);
}

/// Share of the test rows whose largest output (rows x C) is their label.
inline double accuracy(std::span<const double> outputs, const Bundle& data) {
  const auto test = data.values<std::int64_t>("test_index");
  const auto labels = data.values<std::int64_t>("labels");
  const std::size_t classes = outputs.size() / test.size();
  int right = 0;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const auto row = outputs.subspan(i * classes, classes);
    right += std::max_element(row.begin(), row.end()) - row.begin() ==
             labels[static_cast<std::size_t>(test[i])];
  }
  return right / static_cast<double>(test.size());
}

/// The rows of the test split, of an array with one row per sample.
inline std::vector<double> test_rows(const Bundle& model, const std::string& name,
                                     const Bundle& data) {
  const auto values = model.values<double>(name);
  const std::size_t width = values.size() / static_cast<std::size_t>(data.shape("inputs")[0]);
  std::vector<double> out;
  for (const std::int64_t i : data.values<std::int64_t>("test_index")) {
    const auto row = values.subspan(static_cast<std::size_t>(i) * width, width);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

/// intervene() with the model's own concepts is the model's own answer.
inline void check_answers_itself(const Plugin& plugin, const Arguments& arguments,
                                 const Bundle& model) {
  const Outcome again = plugin.intervene(arguments, model, model.arrays.at("concept_scores"));
  REQUIRE(again.error == "");
  const auto answer = again.out.values<double>("outputs"),
             fitted = model.values<double>("task_outputs");
  REQUIRE(answer.size() == fitted.size());
  double apart = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    apart = std::max(apart, std::abs(answer[i] - fitted[i]));
    largest = std::max(largest, std::abs(fitted[i]));
  }
  CHECK(largest > 0.1);
  CHECK(apart <= 1e-12 * largest);  // both in double, from the same float32 weights
}

/// A model with `concepts` of its own does not look at annotations; with those of the dataset it
/// needs 0 and 1.
inline void check_own_concepts_need_no_annotations(const Plugin& model) {
  Bundle data = tabular_toy(60);
  const Arguments own = {{"concepts", 2}, {"epochs", 1}};
  const Outcome annotated = model.fit_model(own, data);
  REQUIRE(annotated.error == "");
  data.arrays["concepts"] = OwnedArray::of<double>({60, 3}, std::vector<double>(180, 0.5));
  const Outcome graded = model.fit_model(own, data);
  CHECK(graded.error == "");
  CHECK((graded.out == annotated.out));
  CHECK(model.fit_model({{"epochs", 1}}, data).status == CONO_NOT_APPLICABLE);
}

}  // namespace conoscope::testing
