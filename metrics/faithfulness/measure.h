// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/faithfulness/logits.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

inline constexpr const char* kSurfPaper =
    "Kumar and Ahuja, Measuring the (Un)Faithfulness of Concept-Based Explanations, arXiv "
    "2504.10833";

/// A stand-in for the model, made from an explanation: what its metrics have in common.
struct Surrogate {
  std::string_view group;
  std::string text = {};         ///< in questions: "a network trained on concept scores"
  std::string_view source = {};  ///< of its metrics; empty: each measure's own
  std::vector<std::string_view> needs = {"head_view", "explanation"};
  /// n x C; throws NotApplicable or std::domain_error where there is none.
  const Logits& (*logits)(const Subject&) = nullptr;
  /// In place of logits: of a surrogate that is made as its metrics' settings say.
  const Logits& (*logits_with)(const Subject&, const std::vector<Setting>&) = nullptr;
  std::vector<Setting> settings = {};
};

/// A comparison of the model's logits with a surrogate's: one declaration for all surrogates.
struct Measure {
  std::string question;  ///< {} stands for the surrogate
  Direction direction = Direction::kNone;
  double low = 0.0, high = kUnbounded;
  std::string_view unit = {};
  std::string_view source = {};
  /// The kinds of output it is made for.
  bool softmax = true, sigmoid = false, regression = false;

  // One of the two.
  Result (*compare)(const Logits& model, const Logits& surrogate) = nullptr;
  Result (*compare_labelled)(const Logits& model, const Logits& surrogate,
                             const IndexVector& labels) = nullptr;
};

/// The measure applied to the surrogate, as a metric of a subject.
Metric declare_measure(std::string name, const Measure& measure, const Surrogate& surrogate);

}  // namespace conoscope::metrics
