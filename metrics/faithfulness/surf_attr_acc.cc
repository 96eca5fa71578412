#include "metrics/faithfulness/surf_attr_acc.h"

#include "metrics/faithfulness/logit_pair.h"
#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

double surf_attr_acc(const MatrixRef& model_logits, const MatrixRef& surrogate_logits) {
  detail::require_logit_pair("surf_attr_acc", model_logits, surrogate_logits);
  detail::LogitRow row(model_logits.cols());
  Index sum = 0;
  for (Index i = 0; i < model_logits.rows(); ++i)
    sum += row.agreeing_signs(detail::row_at(model_logits, i), detail::row_at(surrogate_logits, i));
  return static_cast<double>(sum) / static_cast<double>(model_logits.size());
}

}  // namespace conoscope::metrics
