// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "metrics/faithfulness/logits.h"
#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics::detail {

// One sample's C model logits against its C surrogate logits: the arithmetic of each SURF measure.

/// Buffers for rows of C outputs. Every sum runs over these aligned buffers and never over the
/// caller's row, so that where a row lies in memory cannot change a bit (Eigen sums unaligned
/// data in another order).
class LogitRow {
 public:
  explicit LogitRow(Index outputs);

  /// mean_c |y_c - s_c|
  double mean_abs_error(const double* model, const double* surrogate);

  /// 1/2 sum_c |softmax(y)_c - softmax(s)_c|, each softmax shifted by its maximum.
  double softmax_total_variation(const double* model, const double* surrogate);

  /// mean_c |sigmoid(y_c) - sigmoid(s_c)|
  double mean_sigmoid_error(const double* model, const double* surrogate);

  /// Spearman's correlation over the C outputs, average ranks; none where either row is constant.
  std::optional<double> spearman(const double* model, const double* surrogate);

  /// The lowest index among the largest.
  Index argmax(const double* logits) const;

  /// Outputs c with (y_c > 0) == (s_c > 0).
  Index agreeing_signs(const double* model, const double* surrogate) const;

 private:
  using Buffer = Eigen::ArrayXd;

  /// out_i = #{j: x_j < x_i} - #{j: x_j > x_i} = 2 rank_i - (C + 1), rank_i the average rank.
  void centred_ranks(const double* logits, Buffer& out);

  Index outputs_;
  Buffer first_, second_;
  std::vector<float> rounded_;
  std::vector<double> padded_;
  std::vector<Index> order_;
};

/// value: the mean over n samples of measure(i); parts: its values.
template <typename Measure>
Result mean_over_samples(Index n, Measure&& measure) {
  Result result;
  result.parts.reserve(static_cast<size_t>(n));
  for (Index i = 0; i < n; ++i) {
    result.parts.push_back(measure(i));
    result.value += result.parts.back();
  }
  result.value /= static_cast<double>(n);
  return result;
}

}  // namespace conoscope::metrics::detail
