#include "metrics/faithfulness/concept_scores.h"

#include <stdexcept>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/psi.h"

namespace conoscope::metrics {

Matrix concept_scores(const HeadView& head, const Explanation& explanation) {
  constexpr const char* kName = "concept_scores";
  detail::require_head(kName, head);
  detail::require_explanation(kName, explanation);
  detail::require_match(kName, head, explanation);
  if (head.pooling == Pooling::kFlatten)
    throw std::invalid_argument("concept_scores: a flattened head has one concept per position");
  if (explanation.cavs.rows() == 0)
    throw std::invalid_argument("concept_scores: the explanation has no concept");

  Matrix storage;
  const MatrixRef rows = detail::pool_positions(head, storage);
  if (explanation.class_agnostic) return detail::project(kName, explanation, 0, rows);
  Matrix scores(rows.rows(), explanation.cavs.rows());
  Index at = 0;
  for (Index output = 0; output < head.outputs(); ++output) {
    const Matrix part = detail::project(kName, explanation, output, rows);
    scores.middleCols(at, part.cols()) = part;
    at += part.cols();
  }
  return scores;
}

}  // namespace conoscope::metrics
