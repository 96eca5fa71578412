#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "plugins/numerics/types.h"

namespace conoscope::numerics {

/// Adam without weight decay, for one array of parameters.
///
///   m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2
///   p <- p - rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps),   t = 1, 2, ...
///
/// b1 = 0.9, b2 = 0.999, eps = 1e-8.
///
/// Source: Kingma & Ba, ICLR 2015, algorithm 1.
template <typename T>
class Adam {
 public:
  explicit Adam(Index size)
      : mean_(static_cast<std::size_t>(size)), square_(static_cast<std::size_t>(size)) {}

  /// One step with the gradient times `scale` (1, or what clipping asks for).
  void step(T* parameters, const T* gradient, T scale, double rate) {
    ++steps_;
    const auto count = static_cast<double>(steps_);
    const T step = static_cast<T>(rate / (1.0 - std::pow(kBeta1, count)));
    const T correction = static_cast<T>(1.0 / std::sqrt(1.0 - std::pow(kBeta2, count)));
    constexpr T keep1 = static_cast<T>(kBeta1), keep2 = static_cast<T>(kBeta2);
    constexpr T new1 = static_cast<T>(1.0 - kBeta1), new2 = static_cast<T>(1.0 - kBeta2);
    // Eigen's sqrt is vectorised; the C library's keeps errno and is not.
    using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
    const auto size = static_cast<Index>(mean_.size());
    constexpr Index kChunk = 1024;  // all four arrays of a chunk stay in the first-level cache
    for (Index at = 0; at < size; at += kChunk) {
      const Index length = std::min(kChunk, size - at);
      Eigen::Map<Array> p(parameters + at, length), m(mean_.data() + at, length),
          v(square_.data() + at, length);
      const Eigen::Map<const Array> g(gradient + at, length);
      m = keep1 * m + (new1 * scale) * g;
      v = keep2 * v + new2 * (scale * g).square();
      p -= step * m / (correction * v.sqrt() + static_cast<T>(1e-8));
    }
  }

 private:
  static constexpr double kBeta1 = 0.9, kBeta2 = 0.999;

  std::vector<T> mean_, square_;
  long steps_ = 0;
};

}  // namespace conoscope::numerics
