// SPDX-License-Identifier: Apache-2.0
#include "metrics/readability/monosemanticity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/faithfulness/affine.h"
#include "metrics/left_out.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "monosemanticity";

Matrix unit_rows(const MatrixRef& embeddings) {
  numerics::require_finite(kName, "embeddings", embeddings);
  if (embeddings.rows() < 2)
    numerics::refuse(kName, std::to_string(embeddings.rows()) + " images make no pair");
  Matrix units = embeddings;
  for (Index i = 0; i < units.rows(); ++i) units.row(i).stableNormalize();  // leaves 0 as it is
  return units;
}

/// M of each concept, whose strengths are the columns of a, >= 0; NaN: no pair has a weight.
Vector weighted_cosines(const Matrix& units, const Matrix& a) {
  const Vector own = a.array().square().matrix().transpose() * units.rowwise().squaredNorm();
  const Matrix sums = a.transpose() * units;
  Vector out(a.cols());
  for (Index k = 0; k < a.cols(); ++k) {
    const double squares = a.col(k).squaredNorm(), sum = a.col(k).sum();
    const double pairs = sum * sum - squares;
    // Of a single strength nothing but rounding is left.
    out[k] = pairs > 1e-12 * squares
                 ? std::clamp((sums.row(k).squaredNorm() - own[k]) / pairs, -1.0, 1.0)
                 : std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

/// Each column from 0 to 1; a constant one 0.
Matrix scaled(const MatrixRef& scores) {
  Matrix out = scores.rowwise() - scores.colwise().minCoeff();
  for (Index k = 0; k < out.cols(); ++k)
    if (const double range = out.col(k).maxCoeff(); range > 0.0) out.col(k) /= range;
  return out;
}

/// The model's own view of an image: its activations, averaged over positions.
Matrix image_embeddings(const Subject& subject) {
  const HeadView& head = subject.head();
  detail::require_head(kName, head);
  return detail::pool_positions(head);
}

/// Which of a linear explanation's concepts argue against their outputs. (v, alpha) and (-v, -alpha)
/// are one explanation, and v alone says nothing of which of them is meant.
std::vector<bool> negative_importances(const Explanation& explanation) {
  std::vector<bool> out;
  if (!explanation.class_agnostic) {
    for (const double importance : explanation.importance) out.push_back(importance < 0.0);
    return out;
  }
  for (const auto of_concept : explanation.importance_by_output.colwise()) {
    Index largest = 0;
    of_concept.array().abs().maxCoeff(&largest);
    out.push_back(of_concept[largest] < 0.0);
  }
  return out;
}

/// How strong each concept is: its score, or where it is an embedding its probability.
Matrix strengths(const Subject& subject) {
  const ConceptView& view = subject.concepts();
  if (view.width == 1) {
    Matrix scores = view.scores;
    if (subject.offers("explanation") && subject.explanation().linear()) {
      const std::vector<bool> negative = negative_importances(subject.explanation());
      for (Index k = 0; k < scores.cols(); ++k)
        if (negative[static_cast<size_t>(k)]) scores.col(k) *= -1.0;
    }
    return scores;
  }
  if (view.probabilities.size() == 0)
    throw NotApplicable("concepts are embeddings, and the model gives no probabilities");
  return view.probabilities;
}

}  // namespace

Result monosemanticity(const MatrixRef& embeddings, const MatrixRef& scores) {
  const Matrix units = unit_rows(embeddings);
  if (scores.cols() < 1 || scores.rows() != embeddings.rows())
    numerics::refuse(kName, "scores are " + numerics::shape_of(scores) + ", of " +
                                std::to_string(embeddings.rows()) + " images");
  numerics::require_finite(kName, "scores", scores);
  Result out;
  Index counted = 0;
  for (const double score : weighted_cosines(units, scaled(scores))) {
    out.parts.push_back(score);
    if (std::isnan(score)) continue;
    out.value += score;
    ++counted;
  }
  if (counted == 0)
    throw std::domain_error(std::string(kName) +
                            ": no concept is stronger in two images than in others");
  out.value /= static_cast<double>(counted);
  if (counted < scores.cols())
    out.caveat =
        left_out(scores.cols() - counted, "concept", "not stronger in two images than in others");
  return out;
}

double monosemanticity_null(const MatrixRef& embeddings) {
  const Matrix units = unit_rows(embeddings);
  return weighted_cosines(units, Matrix::Ones(units.rows(), 1))[0];
}

std::vector<Metric> declare::monosemanticity() {
  const auto declared = [](std::string name, std::string question, Direction direction,
                           std::function<Result(const Subject&)> compute) {
    return Metric{.name = std::move(name),
                  .group = "readability",
                  .question = std::move(question),
                  .direction = direction,
                  .low = -1.0,
                  .high = 1.0,
                  .source = "Pach et al., arXiv 2504.02821; embeddings are the model's own",
                  .needs = {"head_view", "concept_view"},
                  .uses = {"explanation"},
                  .compute = std::move(compute)};
  };
  return {
      declared("monosemanticity", "How alike are the images in which a concept is strong?",
               Direction::kHigher,
               [](const Subject& subject) {
                 return metrics::monosemanticity(subject.once(image_embeddings),
                                                 strengths(subject));
               }),
      declared("monosemanticity_null", "How alike are images that are not selected by any concept?",
               Direction::kNone, [](const Subject& subject) {
                 return Result{monosemanticity_null(subject.once(image_embeddings))};
               })};
}

}  // namespace conoscope::metrics
