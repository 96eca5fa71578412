#include "metrics/faithfulness/surf_top1.h"

#include "metrics/faithfulness/logit_pair.h"
#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

double surf_top1(const MatrixRef& model_logits, const MatrixRef& surrogate_logits) {
  detail::require_logit_pair("surf_top1", model_logits, surrogate_logits);
  detail::LogitRow row(model_logits.cols());
  Index sum = 0;
  for (Index i = 0; i < model_logits.rows(); ++i)
    sum += row.argmax(detail::row_at(model_logits, i)) ==
           row.argmax(detail::row_at(surrogate_logits, i));
  return static_cast<double>(sum) / static_cast<double>(model_logits.rows());
}

}  // namespace conoscope::metrics
