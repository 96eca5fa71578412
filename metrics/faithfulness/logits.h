// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "metrics/types.h"

namespace conoscope::metrics {

/// Raw outputs (no softmax) of n samples, n x C with n, C >= 1, all finite: that it exists is the
/// proof, so nobody who takes one looks again.
class Logits {
 public:
  /// throws  std::invalid_argument: n < 1, C < 1, an entry not finite
  Logits(Matrix values);  // NOLINT(google-explicit-constructor): a matrix of logits is logits
  template <typename Derived>
  Logits(const Eigen::DenseBase<Derived>& values) : Logits(Matrix(values.derived())) {}  // NOLINT

  Index samples() const { return values_.rows(); }
  Index outputs() const { return values_.cols(); }
  const Matrix& matrix() const { return values_; }
  const double* row(Index i) const { return values_.data() + i * values_.cols(); }
  double operator()(Index i, Index c) const { return values_(i, c); }

 private:
  Matrix values_;
};

namespace detail {

/// throws  std::invalid_argument: the two differ in their samples or outputs
void require_same_shape(std::string_view metric, const Logits& model, const Logits& surrogate);

}  // namespace detail

}  // namespace conoscope::metrics
