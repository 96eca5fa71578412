#pragma once

#include <Eigen/Core>
#include <cmath>

namespace conoscope::metrics {

/// One parameter array under Adam, with PyTorch's order of operations:
///
///   m = 0.9 m + 0.1 g,   v = 0.999 v + 0.001 g^2
///   x = x - lr / (1 - 0.9^t) m / (sqrt(v / (1 - 0.999^t)) + 1e-8)
///
/// Source: Kingma and Ba, ICLR 2015.
template <typename Scalar>
class Adam {
 public:
  using Array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;

  explicit Adam(Eigen::Index size) : first_(Array::Zero(size)), second_(Array::Zero(size)) {}

  /// x and gradient: contiguous, of the size given at construction. step: t, from 1.
  void update(Scalar* x, const Scalar* gradient, double learning_rate, int step) {
    const Eigen::Map<const Array> g(gradient, first_.size());
    Eigen::Map<Array> value(x, first_.size());
    constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
    first_ = Scalar(kBeta1) * first_ + Scalar(1.0 - kBeta1) * g;
    second_ = Scalar(kBeta2) * second_ + Scalar(1.0 - kBeta2) * g.square();
    const auto rate = static_cast<Scalar>(learning_rate / (1.0 - std::pow(kBeta1, step)));
    const auto spread = static_cast<Scalar>(1.0 / std::sqrt(1.0 - std::pow(kBeta2, step)));
    value -= rate * first_ / (second_.sqrt() * spread + Scalar(kEpsilon));
  }

 private:
  Array first_, second_;
};

}  // namespace conoscope::metrics
