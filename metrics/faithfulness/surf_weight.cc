#include "metrics/faithfulness/surf_weight.h"

#include "metrics/faithfulness/explanation.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Matrix surf_weight(const Explanation& explanation) {
  detail::require_explanation("surf_weight", explanation);
  if (!explanation.linear())
    numerics::refuse(
        "surf_weight",
        "the explanation has a projection of its own; only a linear one can be folded");
  return detail::fold(explanation);
}

}  // namespace conoscope::metrics
