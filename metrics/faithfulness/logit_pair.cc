#include "metrics/faithfulness/logit_pair.h"

#include <sstream>

#include "numerics/checks.h"

namespace conoscope::metrics::detail {

void require_logit_pair(std::string_view metric, const MatrixRef& model_logits,
                        const MatrixRef& surrogate_logits) {
  if (model_logits.rows() < 1 || model_logits.cols() < 1 ||
      model_logits.rows() != surrogate_logits.rows() ||
      model_logits.cols() != surrogate_logits.cols()) {
    std::ostringstream text;
    text << "model_logits is " << model_logits.rows() << " x " << model_logits.cols()
         << " and surrogate_logits " << surrogate_logits.rows() << " x " << surrogate_logits.cols()
         << "; both must be n x C with n, C >= 1";
    numerics::refuse(metric, text.str());
  }
  numerics::require_finite(metric, "model_logits", model_logits);
  numerics::require_finite(metric, "surrogate_logits", surrogate_logits);
}

}  // namespace conoscope::metrics::detail
