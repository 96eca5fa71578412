// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_weight.h"

#include "numerics/checks.h"

namespace conoscope::metrics {

Matrix surf_weight(const CheckedExplanation& explanation) {
  if (!explanation->linear())
    numerics::refuse(
        "surf_weight",
        "the explanation has a projection of its own; only a linear one can be folded");
  if (explanation->class_agnostic) return explanation->importance_by_output * explanation->cavs;

  Matrix weight = Matrix::Zero(explanation->outputs(), explanation->cavs.cols());
  for (Index c = 0; c < explanation->outputs(); ++c)
    for (Index k = explanation->first_row(c); k < explanation->first_row(c + 1); ++k)
      weight.row(c) += explanation->importance(k) * explanation->cavs.row(k);
  return weight;
}

}  // namespace conoscope::metrics
