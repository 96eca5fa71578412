#include "metrics/faithfulness/softmax_divergence.h"

#include <algorithm>
#include <cmath>

#include "metrics/faithfulness/logit_pair.h"

namespace conoscope::metrics {

namespace {

// A buffer of its own for each row: where a row lies in memory must not change a bit.
void log_softmax(const MatrixRef& logits, Index i, Eigen::ArrayXd& out) {
  out = logits.row(i).transpose().array();
  out -= out.maxCoeff();
  out -= std::log(out.exp().sum());
}

}  // namespace

SoftmaxDivergence softmax_divergence(const MatrixRef& model_logits,
                                     const MatrixRef& surrogate_logits) {
  detail::require_logit_pair("softmax_divergence", model_logits, surrogate_logits);
  const Index n = model_logits.rows();
  SoftmaxDivergence result;
  Eigen::ArrayXd p, q;
  for (Index i = 0; i < n; ++i) {
    log_softmax(model_logits, i, p);
    log_softmax(surrogate_logits, i, q);
    result.cross_entropy -= (p.exp() * q).sum();
    result.kl_rows.push_back(std::max(0.0, (p.exp() * (p - q)).sum()));
    result.kl += result.kl_rows.back();
  }
  result.cross_entropy /= static_cast<double>(n);
  result.kl /= static_cast<double>(n);
  return result;
}

}  // namespace conoscope::metrics
