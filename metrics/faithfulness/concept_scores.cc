// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/concept_scores.h"

#include "numerics/checks.h"

namespace conoscope::metrics {

Matrix concept_scores(const ExplainedHead& of) {
  const Explanation& explanation = *of.explanation();
  if (of.flatten())
    numerics::refuse("concept_scores", "a flattened head has one concept per position");
  if (explanation.cavs.rows() == 0)
    numerics::refuse("concept_scores", "the explanation has no concept");
  if (explanation.class_agnostic) return of.project(0, of.pooled());
  Matrix scores(of.head().samples(), explanation.cavs.rows());
  Index at = 0;
  for (Index output = 0; output < of.head().outputs(); ++output) {
    const Matrix part = of.project(output, of.pooled());
    scores.middleCols(at, part.cols()) = part;
    at += part.cols();
  }
  return scores;
}

Matrix concept_scores(const HeadView& head, const Explanation& explanation) {
  return concept_scores(ExplainedHead(head, explanation));
}

}  // namespace conoscope::metrics
