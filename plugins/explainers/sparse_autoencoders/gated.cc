// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/gated.h"

#include <cmath>

#include "numerics/checks.h"

namespace conoscope::methods {

template <typename T>
GatedObjective<T>::GatedObjective(const GatedOptions& options) : options_(options) {
  numerics::require_weight("GatedObjective", "weight", options.weight);
}

template <typename T>
SparseLosses GatedObjective<T>::differentiate(const RowMajorRef<T>& x, const Parts<T>& at,
                                              const StepState& state, Parts<T>& gradient) {
  using Row = Eigen::RowVector<T, Eigen::Dynamic>;
  const RowMajor<T>&encoder = at[Part::kEncoder], &atoms = at[Part::kAtoms];
  const Index rows = x.rows(), latents = encoder.rows();
  const auto batch = static_cast<double>(rows);
  const Row gate_bias = at[Part::kEncoderBias].row(0), bias = at[Part::kMagnitudeBias].row(0);
  Row gain(latents);
  for (Index j = 0; j < latents; ++j) gain[j] = std::exp(at[Part::kGain](0, j));
  centred_ = x.rowwise() - at[Part::kDecoderBias].row(0);
  pre_.noalias() = centred_ * encoder.transpose();
  gates_.resize(rows, latents);
  codes_.resize(rows, latents);
  double sparsity = 0.0;
  for (Index i = 0; i < rows; ++i) {
    const T* const h = pre_.row(i).data();
    T* const s = gates_.row(i).data();
    T* const f = codes_.row(i).data();
    for (Index j = 0; j < latents; ++j) {
      const T gate = h[j] + gate_bias[j], magnitude = gain[j] * h[j] + bias[j];
      s[j] = gate > T(0) ? gate : T(0);
      f[j] = gate > T(0) && magnitude > T(0) ? magnitude : T(0);
    }
    sparsity += static_cast<double>(gates_.row(i).sum());
  }
  of_codes_.read(codes_);
  of_gates_.read(gates_);
  product_of_pattern(of_codes_, codes_, atoms, product_);
  residual_ = centred_ - product_;
  product_of_pattern(of_gates_, gates_, atoms, product_);
  left_ = centred_ - product_;

  SparseLosses losses;
  const double weight = options_.weight * state.pressure;
  losses.error = sum_of_squares(residual_) / batch;
  losses.aux = sum_of_squares(left_) / batch;
  losses.sparsity = sparsity / batch;
  losses.active = static_cast<double>(of_codes_.count()) / batch;
  losses.loss = losses.error + losses.aux + weight * losses.sparsity;

  const T twice = static_cast<T>(2.0 / batch), of_sparsity = static_cast<T>(weight / batch);
  residual_ *= twice;
  left_ *= twice;
  pull_.noalias() = residual_ * atoms.transpose();   // -dL/df
  gate_pull_.noalias() = left_ * atoms.transpose();  // -dL/ds but for the sparsity
  Row of_gain = Row::Zero(latents), of_gate = Row::Zero(latents), of_bias = Row::Zero(latents);
  for (Index i = 0; i < rows; ++i) {
    const T* const h = pre_.row(i).data();
    const T* const s = gates_.row(i).data();
    const T* const f = codes_.row(i).data();
    const T* const by_gate = gate_pull_.row(i).data();
    T* const pull = pull_.row(i).data();
    for (Index j = 0; j < latents; ++j) {
      const T magnitude = f[j] > T(0) ? -pull[j] : T(0);
      const T gate = s[j] > T(0) ? of_sparsity - by_gate[j] : T(0);
      of_gain[j] += magnitude * gain[j] * h[j];
      of_bias[j] += magnitude;
      of_gate[j] += gate;
      pull[j] = magnitude * gain[j] + gate;  // dL/dh
    }
  }
  gradient[Part::kGain] = of_gain;
  gradient[Part::kMagnitudeBias] = of_bias;
  gradient[Part::kEncoderBias] = of_gate;
  transposed_product_of_pattern(of_gates_, pull_, centred_, gradient[Part::kEncoder]);
  transposed_product_of_pattern(of_codes_, codes_, residual_, gradient[Part::kAtoms]);
  gradient[Part::kAtoms] *= T(-1);
  const Row sum = pull_.colwise().sum();
  gradient[Part::kDecoderBias] = -residual_.colwise().sum() - sum * encoder;
  if (!options_.aux_trains_decoder) return losses;
  transposed_product_of_pattern(of_gates_, gates_, left_, product_);
  gradient[Part::kAtoms] -= product_;
  gradient[Part::kDecoderBias] -= left_.colwise().sum();
  return losses;
}

template class GatedObjective<float>;
template class GatedObjective<double>;

}  // namespace conoscope::methods
