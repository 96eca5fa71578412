#include "metrics/faithfulness/surf_weight.h"

#include "metrics/checks.h"
#include "metrics/faithfulness/explanation_checks.h"

namespace conoscope::metrics {

Matrix surf_weight(const Explanation& explanation) {
  detail::require_explanation("surf_weight", explanation);
  if (!explanation.linear())
    detail::refuse("surf_weight",
                   "the explanation has a projection of its own; only a linear one can be folded");
  if (explanation.class_agnostic) return explanation.importance_by_output * explanation.cavs;

  const Index outputs = detail::explained_outputs(explanation);
  Matrix weight = Matrix::Zero(outputs, explanation.cavs.cols());
  for (Index c = 0; c < outputs; ++c)
    for (Index k = explanation.offset[static_cast<size_t>(c)];
         k < explanation.offset[static_cast<size_t>(c) + 1]; ++k)
      weight.row(c) += explanation.importance(k) * explanation.cavs.row(k);
  return weight;
}

}  // namespace conoscope::metrics
