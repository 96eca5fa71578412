// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/logit_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

namespace conoscope::metrics::detail {

namespace {

using Row = Eigen::Map<const Eigen::ArrayXd>;

// Up to here counting all pairs, which vectorises, beats sorting, which does not.
constexpr Index kCountingOutputs = 256;

// Outputs counted for at once, so that their counts stay in registers: four AVX2 registers.
template <typename Value>
constexpr size_t kLanes = 128 / sizeof(Value);

size_t padded(Index outputs) {
  constexpr size_t kMost = kLanes<float>;
  return (static_cast<size_t>(outputs) + kMost - 1) / kMost * kMost;
}

// out_i += sign * #{j < n: before(x_j, x_i)}; `values` is padded to whole lanes.
template <typename Value, typename Count, typename Before>
void add_counts(const std::vector<Value>& values, Before before, double sign, Eigen::ArrayXd& out) {
  constexpr size_t kWidth = kLanes<Value>;
  const auto n = static_cast<size_t>(out.size());
  for (size_t begin = 0; begin < n; begin += kWidth) {
    std::array<Count, kWidth> found{};
    std::array<Value, kWidth> mine;
    std::copy_n(values.data() + begin, kWidth, mine.begin());
    for (size_t j = 0; j < n; ++j) {
      const Value other = values[j];
      for (size_t t = 0; t < kWidth; ++t) found[t] += before(other, mine[t]) ? 1 : 0;
    }
    for (size_t t = 0; t < std::min(kWidth, n - begin); ++t)
      out(static_cast<Index>(begin + t)) += sign * static_cast<double>(found[t]);
  }
}

}  // namespace

LogitRow::LogitRow(Index outputs)
    : outputs_(outputs),
      first_(outputs),
      second_(outputs),
      rounded_(padded(outputs)),
      padded_(padded(outputs)),
      order_(static_cast<size_t>(outputs)) {}

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
    const double pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
    const auto no_ties = [&] { return out.sum() == pairs; };
    // Rounding to float32 keeps order or makes ties. Without ties the order is therefore that of
    // the doubles, found at half the cost; logits beyond float32's range become tied infinities.
    for (Index i = 0; i < n; ++i) rounded_[static_cast<size_t>(i)] = static_cast<float>(logits[i]);
    out.setZero();
    add_counts<float, std::int32_t>(rounded_, std::less<float>(), 1.0, out);
    if (!no_ties()) {
      std::copy_n(logits, n, padded_.begin());
      out.setZero();
      add_counts<double, std::int64_t>(padded_, std::less<double>(), 1.0, out);
    }
    if (no_ties())  // what is not less is greater
      out = 2.0 * out - static_cast<double>(n - 1);
    else
      add_counts<double, std::int64_t>(padded_, std::greater<double>(), -1.0, out);
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
