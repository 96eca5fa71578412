// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/archetypal.h"

#include <cmath>

#include "numerics/checks.h"

namespace conoscope::methods {

template <typename T>
ArchetypalObjective<T>::ArchetypalObjective(RowMajor<T> points, double delta, Index latents,
                                            TopKOptions options)
    : points_(std::move(points)), delta_(delta), codes_(latents, std::move(options)) {
  numerics::require_filled("ArchetypalObjective", "points", points_);
  numerics::require_weight("ArchetypalObjective", "delta", delta);
}

template <typename T>
void ArchetypalObjective<T>::constrain(Parts<T>& parts) const {
  RowMajor<T>&weights = parts[Part::kWeights], &relaxation = parts[Part::kRelaxation];
  weights = weights.cwiseMax(T(0));
  for (Index j = 0; j < weights.rows(); ++j) {
    weights.row(j) /= weights.row(j).sum() + static_cast<T>(1e-8);
    const T norm = relaxation.row(j).norm();
    if (norm > static_cast<T>(delta_)) relaxation.row(j) *= static_cast<T>(delta_) / norm;
  }
}

template <typename T>
RowMajor<T> ArchetypalObjective<T>::atoms(const Parts<T>& parts) const {
  RowMajor<T> out = parts[Part::kRelaxation];
  out.noalias() += parts[Part::kWeights] * points_;
  out *= std::exp(parts[Part::kLogScale](0, 0));
  return out;
}

template <typename T>
SparseLosses ArchetypalObjective<T>::differentiate(const RowMajorRef<T>& x, const Parts<T>& at,
                                                   const StepState& state, Parts<T>& gradient) {
  inner_[Part::kEncoder] = at[Part::kEncoder];
  inner_[Part::kEncoderBias] = at[Part::kEncoderBias];
  inner_[Part::kAtoms] = atoms(at);
  const SparseLosses losses = codes_.differentiate(x, inner_, state, inner_gradient_);
  gradient[Part::kEncoder] = inner_gradient_[Part::kEncoder];
  gradient[Part::kEncoderBias] = inner_gradient_[Part::kEncoderBias];
  const RowMajor<T>& of_atoms = inner_gradient_[Part::kAtoms];
  const T scale = std::exp(at[Part::kLogScale](0, 0));
  gradient[Part::kRelaxation] = of_atoms * scale;
  gradient[Part::kWeights].noalias() = gradient[Part::kRelaxation] * points_.transpose();
  double sum = 0.0;
  for (Index j = 0; j < of_atoms.rows(); ++j)
    sum += static_cast<double>(of_atoms.row(j).dot(inner_[Part::kAtoms].row(j)));
  gradient[Part::kLogScale].setConstant(1, 1, static_cast<T>(sum));
  return losses;
}

template class ArchetypalObjective<float>;
template class ArchetypalObjective<double>;

}  // namespace conoscope::methods
