// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/learnt_concepts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "metrics/faithfulness/concept_scores.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/left_out.h"
#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "truth";

/// Of the energy about the mean: what is stored in half precision misses by 1e-7.
constexpr double kOtherSpace = 1e-4;
constexpr Index kRowsLookedAt = 256;

/// Stored in half precision.
constexpr double kUnitLength = 2e-3;

void require_truth(const Truth& truth, Index samples) {
  const Index features = truth.directions.rows();
  numerics::require_filled(kName, "directions", truth.directions);
  for (Index i = 0; i < features; ++i)
    if (const double length = truth.directions.row(i).norm(); std::abs(length - 1.0) > kUnitLength)
      numerics::refuse(kName, "direction " + std::to_string(i) + " has length " +
                                  std::to_string(length) + ", not 1");
  if (truth.activations.rows() != samples || truth.activations.cols() != features)
    numerics::refuse(kName, "activations is " + numerics::shape_of(truth.activations) + ", for " +
                                std::to_string(samples) + " rows and " + std::to_string(features) +
                                " directions");
  numerics::require_non_negative(kName, "activations", truth.activations);
  const auto parents = static_cast<Index>(truth.parent.size());
  if (parents != 0 && parents != features)
    numerics::refuse(kName, "there are " + std::to_string(parents) + " parents of " +
                                std::to_string(features) + " features");
  for (Index i = 0; i < parents; ++i)
    if (const Index parent = truth.parent[static_cast<std::size_t>(i)];
        parent < -1 || parent >= features || parent == i)
      numerics::refuse(
          kName, "the parent of feature " + std::to_string(i) + " is " + std::to_string(parent));
}

/// Whether the rows are, up to a constant, what the truth says.
bool is_world(const MatrixRef& rows, const Truth& truth) {
  const Index n = std::min(rows.rows(), kRowsLookedAt);
  const Matrix known = truth.activations.topRows(n).cast<double>() * truth.directions;
  const Matrix seen = rows.topRows(n).rowwise() - rows.topRows(n).colwise().mean();
  const Matrix told = known.rowwise() - known.colwise().mean();
  return (seen - told).squaredNorm() <=
         kOtherSpace * std::max(seen.squaredNorm(), told.squaredNorm());
}

}  // namespace

std::vector<double> LearntConcepts::parts(const VectorRef& of_latents) const {
  return with_gaps({of_latents.data(), static_cast<std::size_t>(of_latents.size())}, gaps);
}

LearntConcepts learnt_concepts(const Subject& subject) {
  require_pooled(subject);
  const ExplainedHead& of = subject.once(explained_head);
  const Explanation& explanation = *of.explanation();
  if (!of.explanation().shows_cavs() || explanation.cavs.rows() == 0)
    throw NotApplicable("the explanation shows no CAVs");
  const Index all = explanation.cavs.rows();
  const IndexVector& constant = explanation.constant;
  if (!constant.empty() && static_cast<Index>(constant.size()) != all)
    numerics::refuse("explanation", "constant has " + std::to_string(constant.size()) +
                                        " entries for " + std::to_string(all) + " CAVs");
  IndexVector kept, gaps;
  for (Index k = 0; k < all; ++k)
    (!constant.empty() && constant[static_cast<std::size_t>(k)] != 0 ? gaps : kept).push_back(k);
  if (kept.empty()) throw NotApplicable("every concept of the explanation is constant");
  return {explanation.cavs(kept, Eigen::all), concept_scores(of)(Eigen::all, kept), gaps};
}

LearntConcepts learnt_features(const Subject& subject) {
  const LearntConcepts& learnt = subject.once(learnt_concepts);
  const Truth& truth = subject.truth();
  const Matrix& rows = subject.once(explained_head).pooled();
  require_truth(truth, rows.rows());
  if (truth.directions.cols() != rows.cols())
    throw NotApplicable("the layer has " + std::to_string(rows.cols()) +
                        " dimensions, the world's features " +
                        std::to_string(truth.directions.cols()));
  if (!is_world(rows, truth))
    throw NotApplicable("the layer is not the world whose features are known");
  return learnt;
}

}  // namespace conoscope::metrics
