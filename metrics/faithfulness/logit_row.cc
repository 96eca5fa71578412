#include "metrics/faithfulness/logit_row.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace conoscope::metrics::detail {

namespace {

using Row = Eigen::Map<const Eigen::ArrayXd>;

// Up to here counting all pairs, which vectorises, beats sorting, which does not.
constexpr Index kCountingOutputs = 256;

}  // namespace

LogitRow::LogitRow(Index outputs)
    : outputs_(outputs), first_(outputs), second_(outputs), order_(static_cast<size_t>(outputs)) {}

double LogitRow::mean_abs_error(const double* model, const double* surrogate) {
  first_ = (Row(model, outputs_) - Row(surrogate, outputs_)).abs();
  return first_.sum() / static_cast<double>(outputs_);
}

double LogitRow::softmax_total_variation(const double* model, const double* surrogate) {
  first_ = Row(model, outputs_);
  second_ = Row(surrogate, outputs_);
  first_ = (first_ - first_.maxCoeff()).exp();
  second_ = (second_ - second_.maxCoeff()).exp();
  const double first_scale = 1.0 / first_.sum(), second_scale = 1.0 / second_.sum();
  first_ = (first_ * first_scale - second_ * second_scale).abs();
  // Rounding may leave two disjoint distributions an ulp beyond 1.
  return std::min(1.0, 0.5 * first_.sum());
}

double LogitRow::mean_sigmoid_error(const double* model, const double* surrogate) {
  for (Index c = 0; c < outputs_; ++c) {
    const double p = 1.0 / (1.0 + std::exp(-model[c])), q = 1.0 / (1.0 + std::exp(-surrogate[c]));
    first_(c) = std::abs(p - q);
  }
  return first_.sum() / static_cast<double>(outputs_);
}

std::optional<double> LogitRow::spearman(const double* model, const double* surrogate) {
  centred_ranks(model, first_);
  centred_ranks(surrogate, second_);
  // Centred ranks are integers, so these sums are exact.
  const double model_norm = first_.square().sum(), surrogate_norm = second_.square().sum();
  if (model_norm == 0.0 || surrogate_norm == 0.0) return std::nullopt;
  const double product = (first_ * second_).sum();
  return std::clamp(product / std::sqrt(model_norm * surrogate_norm), -1.0, 1.0);
}

Index LogitRow::argmax(const double* logits) const {
  const double largest = Row(logits, outputs_).maxCoeff();
  return std::find(logits, logits + outputs_, largest) - logits;
}

Index LogitRow::agreeing_signs(const double* model, const double* surrogate) const {
  Index agreeing = 0;
  for (Index c = 0; c < outputs_; ++c) agreeing += (model[c] > 0.0) == (surrogate[c] > 0.0);
  return agreeing;
}

void LogitRow::centred_ranks(const double* logits, Buffer& out) {
  const Index n = outputs_;
  if (n <= kCountingOutputs) {
    out.setZero();
    double* const less = out.data();
    for (Index j = 0; j < n; ++j) {
      const double other = logits[j];
      for (Index i = 0; i < n; ++i) less[i] += other < logits[i] ? 1.0 : 0.0;
    }
    const double pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
    if (out.sum() == pairs) {  // no ties: what is not less is greater
      out = 2.0 * out - static_cast<double>(n - 1);
      return;
    }
    for (Index j = 0; j < n; ++j) {
      const double other = logits[j];
      for (Index i = 0; i < n; ++i) less[i] -= other > logits[i] ? 1.0 : 0.0;
    }
    return;
  }
  std::iota(order_.begin(), order_.end(), Index{0});
  std::sort(order_.begin(), order_.end(),
            [logits](Index a, Index b) { return logits[a] < logits[b]; });
  for (Index begin = 0, end = 0; begin < n; begin = end) {
    const double value = logits[order_[static_cast<size_t>(begin)]];
    for (end = begin; end < n && logits[order_[static_cast<size_t>(end)]] == value;) ++end;
    for (Index i = begin; i < end; ++i)
      out(order_[static_cast<size_t>(i)]) = static_cast<double>(begin - (n - end));
  }
}

}  // namespace conoscope::metrics::detail
