#pragma once

#include <Eigen/Core>
#include <cmath>

namespace conoscope::metrics::detail {

/// Adam as Keras and scikit-learn have it; metrics/adam.h is PyTorch's, where epsilon is added
/// before the correction of the second moment, not after:
///
///   m = 0.9 m + 0.1 g,   v = 0.999 v + 0.001 g^2
///   x = x - lr sqrt(1 - 0.999^t)/(1 - 0.9^t) m / (sqrt(v) + epsilon)
///
/// Source: Kingma and Ba, ICLR 2015, the last lines of Sec. 2.
class KerasAdam {
 public:
  KerasAdam(Eigen::Index size, double learning_rate, double epsilon)
      : first_(Eigen::ArrayXf::Zero(size)),
        second_(Eigen::ArrayXf::Zero(size)),
        learning_rate_(learning_rate),
        epsilon_(static_cast<float>(epsilon)) {}

  void update(Eigen::ArrayXf& x, const Eigen::ArrayXf& gradient) {
    ++step_;
    const auto rate = static_cast<float>(learning_rate_ * std::sqrt(1.0 - std::pow(0.999, step_)) /
                                         (1.0 - std::pow(0.9, step_)));
    // As in metrics/adam.h: not Eigen's sqrt().
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const float g = gradient[i];
      first_[i] = 0.9f * first_[i] + 0.1f * g;
      second_[i] = 0.999f * second_[i] + 0.001f * g * g;
      x[i] -= rate * first_[i] / (std::sqrt(second_[i]) + epsilon_);
    }
  }

 private:
  Eigen::ArrayXf first_, second_;
  double learning_rate_;
  float epsilon_;
  int step_ = 0;
};

}  // namespace conoscope::metrics::detail
