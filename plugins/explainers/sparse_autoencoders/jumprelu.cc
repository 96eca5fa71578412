// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/jumprelu.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"

namespace conoscope::methods {

template <typename T>
JumpReluObjective<T>::JumpReluObjective(const JumpReluOptions& options) : options_(options) {
  numerics::require_weight("JumpReluObjective", "weight", options.weight);
  numerics::require_weight("JumpReluObjective", "target", options.target);
  numerics::require_weight("JumpReluObjective", "bandwidth", options.bandwidth);
  if (options.bandwidth == 0.0)
    throw std::invalid_argument("JumpReluObjective: bandwidth = 0 is no window");
}

template <typename T>
SparseLosses JumpReluObjective<T>::differentiate(const RowMajorRef<T>& x, const Parts<T>& at,
                                                 const StepState& state, Parts<T>& gradient) {
  using Row = Eigen::RowVector<T, Eigen::Dynamic>;
  const RowMajor<T>&encoder = at[Part::kEncoder], &atoms = at[Part::kAtoms];
  const Index rows = x.rows(), latents = encoder.rows();
  const auto batch = static_cast<double>(rows);
  residual_ = x.rowwise() - at[Part::kDecoderBias].row(0);
  if (options_.centred)
    read_ = residual_;
  else
    read_ = x;
  pre_.noalias() = read_ * encoder.transpose();
  pre_.rowwise() += at[Part::kEncoderBias].row(0);
  if (options_.relu_first) pre_ = pre_.cwiseMax(T(0));
  Row theta = at[Part::kThreshold].row(0);
  if (options_.log_threshold)
    for (Index j = 0; j < latents; ++j) theta[j] = std::exp(theta[j]);
  codes_.resize(rows, latents);
  Index active = 0;
  for (Index i = 0; i < rows; ++i) {
    const T* const z = pre_.row(i).data();
    T* const f = codes_.row(i).data();
    for (Index j = 0; j < latents; ++j) f[j] = z[j] > theta[j] ? z[j] : T(0);
    active += (codes_.row(i).array() != T(0)).count();
  }
  pattern_.read(codes_);
  RowMajor<T> rebuilt;
  product_of_pattern(pattern_, codes_, atoms, rebuilt);
  residual_ -= rebuilt;

  SparseLosses losses;
  losses.error = sum_of_squares(residual_) / batch;
  losses.active = static_cast<double>(active) / batch;
  double slope = options_.weight * state.pressure;  // of the loss by L0
  losses.sparsity = slope * losses.active;
  if (options_.target > 0.0) {
    const double excess = losses.active / options_.target - 1.0;
    losses.sparsity = slope * excess * excess;
    slope *= 2.0 * excess / options_.target;
  }
  losses.loss = losses.error + losses.sparsity;

  residual_ *= static_cast<T>(2.0 / batch);
  pull_.noalias() = residual_ * atoms.transpose();  // -dL/df
  const T half = static_cast<T>(0.5 * options_.bandwidth);
  const T width = static_cast<T>(1.0 / options_.bandwidth);
  const T of_count = static_cast<T>(slope / batch);
  Row of_theta = Row::Zero(latents);
  for (Index i = 0; i < rows; ++i) {
    const T* const z = pre_.row(i).data();
    const T* const f = codes_.row(i).data();
    T* const pull = pull_.row(i).data();
    const bool by_code = options_.window_of_codes;
    for (Index j = 0; j < latents; ++j) {
      const T seen = by_code ? f[j] : z[j];
      const T within = std::abs(z[j] - theta[j]) < half ? theta[j] * pull[j] : T(0);
      const T counted = std::abs(seen - theta[j]) < half ? of_count : T(0);
      of_theta[j] += width * (within - counted);
      pull[j] = z[j] > theta[j] ? -pull[j] : T(0);
    }
  }
  if (options_.log_threshold) of_theta.array() *= theta.array();
  gradient[Part::kThreshold] = of_theta;
  transposed_product_of_pattern(pattern_, codes_, residual_, gradient[Part::kAtoms]);
  gradient[Part::kAtoms] *= T(-1);
  if (options_.relu_first) pull_.array() = (pre_.array() > T(0)).select(pull_.array(), T(0));
  transposed_product_of_pattern(pattern_, pull_, read_, gradient[Part::kEncoder]);
  const Row sum = pull_.colwise().sum();
  gradient[Part::kEncoderBias] = sum;
  gradient[Part::kDecoderBias] = -residual_.colwise().sum();
  if (options_.centred) gradient[Part::kDecoderBias] -= sum * encoder;
  return losses;
}

template class JumpReluObjective<float>;
template class JumpReluObjective<double>;

}  // namespace conoscope::methods
