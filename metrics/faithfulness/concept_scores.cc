#include "metrics/faithfulness/concept_scores.h"

#include "metrics/faithfulness/explained_head.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Matrix concept_scores(const HeadView& head, const Explanation& explanation) {
  const ExplainedHead of(head, explanation);
  if (of.flatten())
    numerics::refuse("concept_scores", "a flattened head has one concept per position");
  if (explanation.cavs.rows() == 0)
    numerics::refuse("concept_scores", "the explanation has no concept");
  if (explanation.class_agnostic) return of.project(0, of.pooled());
  Matrix scores(head.samples(), explanation.cavs.rows());
  Index at = 0;
  for (Index output = 0; output < head.outputs(); ++output) {
    const Matrix part = of.project(output, of.pooled());
    scores.middleCols(at, part.cols()) = part;
    at += part.cols();
  }
  return scores;
}

}  // namespace conoscope::metrics
