// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "numerics/types.h"

namespace conoscope::numerics {

struct AdamOptions {
  double epsilon = 1e-8;
  double beta1 = 0.9, beta2 = 0.999;  ///< in [0, 1)
  /// False: PyTorch's order, as below. True: Keras's and scikit-learn's, the last lines of the
  /// paper's section 2, where epsilon is added before v is corrected:
  ///
  ///   p <- p - rate * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + epsilon)
  bool epsilon_first = false;
};

/// Adam without weight decay, for one array of parameters.
///
///   m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2
///   p <- p - rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon),   t = 1, 2, ...
///
/// Source: Kingma & Ba, ICLR 2015, algorithm 1.
template <typename T>
class Adam {
 public:
  explicit Adam(Index size, const AdamOptions& options = {})
      : options_(options),
        mean_(static_cast<std::size_t>(size)),
        square_(static_cast<std::size_t>(size)) {}

  /// Goes on where another left off: its m and v, of the size given at construction, after so many
  /// steps.
  void resume(const T* mean, const T* square, long steps) {
    std::copy_n(mean, mean_.size(), mean_.begin());
    std::copy_n(square, square_.size(), square_.begin());
    steps_ = steps;
  }

  /// One step with the gradient times `scale` (1, or what clipping asks for). parameters and
  /// gradient: contiguous, of the size given at construction.
  void step(T* parameters, const T* gradient, double rate, T scale = T(1)) {
    ++steps_;
    const auto count = static_cast<double>(steps_);
    const double unbiased = 1.0 - std::pow(options_.beta1, count);
    const double spread = std::sqrt(1.0 - std::pow(options_.beta2, count));
    const bool first = options_.epsilon_first;
    const T step = static_cast<T>(first ? rate * spread / unbiased : rate / unbiased);
    const T correction = first ? T(1) : static_cast<T>(1.0 / spread);
    const T epsilon = static_cast<T>(options_.epsilon);
    const T keep1 = static_cast<T>(options_.beta1), keep2 = static_cast<T>(options_.beta2);
    const T new1 = static_cast<T>(1.0 - options_.beta1);
    const T new2 = static_cast<T>(1.0 - options_.beta2);
    // Not Eigen's sqrt(): in float that is an approximation, another one on each make of processor,
    // and 0 for denormals. Sources that include this are compiled without errno from the library,
    // so that the loop is vectorised.
    T* const m = mean_.data();
    T* const v = square_.data();
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      const T g = scale * gradient[i];
      m[i] = keep1 * m[i] + new1 * g;
      v[i] = keep2 * v[i] + new2 * g * g;
      parameters[i] -= step * m[i] / (correction * std::sqrt(v[i]) + epsilon);
    }
  }

 private:
  AdamOptions options_;
  std::vector<T> mean_, square_;
  long steps_ = 0;
};

}  // namespace conoscope::numerics
