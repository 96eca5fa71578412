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
    constexpr double kBeta1 = 0.9, kBeta2 = 0.999;
    constexpr auto keep1 = Scalar(kBeta1), new1 = Scalar(1.0 - kBeta1);
    constexpr auto keep2 = Scalar(kBeta2), new2 = Scalar(1.0 - kBeta2);
    const auto rate = static_cast<Scalar>(learning_rate / (1.0 - std::pow(kBeta1, step)));
    const auto spread = static_cast<Scalar>(1.0 / std::sqrt(1.0 - std::pow(kBeta2, step)));
    Scalar* const first = first_.data();
    Scalar* const second = second_.data();
    // Not Eigen's sqrt(): in float that is an approximation, another one on each make of processor,
    // and 0 for denormals. Sources that include this are compiled without errno from the library.
    for (Eigen::Index i = 0; i < first_.size(); ++i) {
      const Scalar g = gradient[i];
      first[i] = keep1 * first[i] + new1 * g;
      second[i] = keep2 * second[i] + new2 * g * g;
      x[i] -= rate * first[i] / (std::sqrt(second[i]) * spread + Scalar(1e-8));
    }
  }

 private:
  Array first_, second_;
};

}  // namespace conoscope::metrics
