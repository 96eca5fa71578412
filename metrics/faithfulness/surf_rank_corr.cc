#include "metrics/faithfulness/surf_rank_corr.h"

#include "metrics/faithfulness/logit_pair.h"
#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

RankCorr surf_rank_corr(const MatrixRef& model_logits, const MatrixRef& surrogate_logits) {
  detail::require_logit_pair("surf_rank_corr", model_logits, surrogate_logits);
  const Index n = model_logits.rows();
  detail::LogitRow row(model_logits.cols());
  RankCorr result;
  result.rows.reserve(static_cast<size_t>(n));
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    const auto rho =
        row.spearman(detail::row_at(model_logits, i), detail::row_at(surrogate_logits, i));
    if (!rho) result.undefined_rows.push_back(i);
    result.rows.push_back(rho.value_or(0.0));
    sum += result.rows.back();
  }
  const Index defined = n - static_cast<Index>(result.undefined_rows.size());
  result.value = sum / static_cast<double>(n);
  if (defined > 0) result.defined_mean = sum / static_cast<double>(defined);
  return result;
}

}  // namespace conoscope::metrics
