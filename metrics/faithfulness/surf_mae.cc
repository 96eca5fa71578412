#include "metrics/faithfulness/surf_mae.h"

#include "metrics/faithfulness/logit_pair.h"
#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

double surf_mae(const MatrixRef& model_logits, const MatrixRef& surrogate_logits) {
  detail::require_logit_pair("surf_mae", model_logits, surrogate_logits);
  detail::LogitRow row(model_logits.cols());
  double sum = 0;
  for (Index i = 0; i < model_logits.rows(); ++i)
    sum += row.mean_abs_error(detail::row_at(model_logits, i), detail::row_at(surrogate_logits, i));
  return sum / static_cast<double>(model_logits.rows());
}

}  // namespace conoscope::metrics
