// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/plausibility.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/left_out.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "plausibility";

/// The largest with w_c, whose length is given; 0 without a CAV.
double largest_cosine(const MatrixRef& cavs, const MatrixRef& weight, Index c, double length) {
  double best = cavs.rows() == 0 ? 0.0 : -1.0;
  for (Index k = 0; k < cavs.rows(); ++k) {
    const double norm = cavs.row(k).norm();
    // Rounding may carry a cosine past 1.
    best = std::max(
        best,
        norm == 0.0 ? 0.0 : std::clamp(cavs.row(k).dot(weight.row(c)) / norm / length, -1.0, 1.0));
  }
  return best;
}

Result of_subject(const Subject& subject) {
  require_last_layer(subject);
  require_pooled(subject);
  const ExplainedHead& of = subject.once(explained_head);
  const Index concepts = of.explanation().all_concepts();
  if (!of.explanation().shows_cavs() ||
      (concepts > 0 && of.explanation()->cavs.cols() != of.head().width()))
    throw NotApplicable("the explanation has no CAV for each of its concepts");
  return plausibility(of.head().weight, of.explanation());
}

}  // namespace

Result plausibility(const MatrixRef& weight, const CheckedExplanation& explanation) {
  const Index outputs = weight.rows();
  if (explanation->outputs() != outputs ||
      (explanation->cavs.rows() > 0 && explanation->cavs.cols() != weight.cols()))
    numerics::refuse(
        kName, "weight is " + std::to_string(outputs) + " x " + std::to_string(weight.cols()) +
                   ", the explanation has " + std::to_string(explanation->outputs()) +
                   " outputs and CAVs of width " + std::to_string(explanation->cavs.cols()));
  numerics::require_finite(kName, "weight", weight);
  Vector by_output = Vector::Zero(outputs);
  Index skipped = 0;
  for (Index c = 0; c < outputs; ++c) {
    const double length = weight.row(c).norm();
    if (length == 0.0)
      ++skipped;
    else
      by_output(c) = largest_cosine(explanation.cavs(c), weight, c, length);
  }
  if (skipped == outputs) throw std::domain_error("plausibility: every row of weight is 0");
  Result result{by_output.sum() / static_cast<double>(outputs - skipped),
                {by_output.begin(), by_output.end()}};
  if (skipped > 0) result.caveat = left_out(skipped, "output", "all weights are 0");
  return result;
}

std::vector<Metric> declare::plausibility() {
  return {
      {.name = kName,
       .group = "sae_eval",
       .question = "How closely does the best CAV of each class align with that class's weights?",
       .direction = Direction::kHigher,
       .low = -1.0,
       .high = 1.0,
       .source = "Fel et al., Archetypal SAE, 2025; as in arXiv 2504.10833, App. A",
       .needs = {"head_view", "explanation"},
       .parts = "output",
       .compute = of_subject}};
}

}  // namespace conoscope::metrics
