// SPDX-License-Identifier: Apache-2.0
#include "metrics/alignment/aligned_concepts.h"

#include <string>

#include "metrics/alignment/concept_alignment.h"
#include "metrics/information/concept_information.h"
#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

AlignedConcepts aligned_concepts(const MatrixRef& scores, const MatrixRef& truth) {
  constexpr const char* kName = "aligned_concepts";
  if (scores.rows() < 1 || scores.rows() != truth.rows() || truth.cols() < 1 ||
      scores.cols() < truth.cols())
    numerics::refuse(kName, "scores is " + numerics::shape_of(scores) + ", truth " +
                                numerics::shape_of(truth) +
                                "; they must be n x K' and n x k, 1 <= k <= K'");
  numerics::require_finite(kName, "scores", scores);
  numerics::require_finite(kName, "truth", truth);
  const Matrix correlation = concept_correlations(scores, truth);
  AlignedConcepts out;
  out.alignment = optimal_alignment(correlation.cwiseAbs());
  out.view.scores.resize(scores.rows(), truth.cols());
  for (Index j = 0; j < truth.cols(); ++j) {
    const Index i = out.alignment[static_cast<size_t>(j)];
    out.view.scores.col(j) = correlation(i, j) < 0.0 ? Vector(-scores.col(i)) : scores.col(i);
  }
  return out;
}

bool has_names(const ConceptView& view) { return view.width != 1 || view.probabilities.size() > 0; }

namespace {

/// Of concepts that have names: empty.
AlignedConcepts align(const Subject& subject) {
  const ConceptView& view = subject.concepts();
  const Matrix& truth = subject.annotations().concepts;
  const bool unnamed = !has_names(view);
  const Index there = view.width < 1 ? 0 : view.scores.cols() / view.width;
  if (unnamed && there < truth.cols())
    throw NotApplicable(std::to_string(there) + " representations cannot stand for " +
                        std::to_string(truth.cols()) + " concepts");
  if (!unnamed && there != truth.cols())
    throw NotApplicable("the model has " + std::to_string(there) + " concepts, the annotations " +
                        std::to_string(truth.cols()));
  if (!is_whole_valued(truth)) throw NotApplicable("the annotated concepts are not whole numbers");
  return unnamed ? aligned_concepts(view.scores, truth) : AlignedConcepts();
}

}  // namespace

bool aligned_by_truth(const Subject& subject) { return !subject.once(align).alignment.empty(); }

const ConceptView& named_concepts(const Subject& subject) {
  return aligned_by_truth(subject) ? subject.once(align).view : subject.concepts();
}

const Matrix& predicted_concepts(const Subject& subject) {
  const ConceptView& view = named_concepts(subject);
  return view.width == 1 ? view.scores : view.probabilities;
}

}  // namespace conoscope::metrics
