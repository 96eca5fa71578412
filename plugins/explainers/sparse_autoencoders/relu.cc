// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/relu.h"

#include "numerics/checks.h"

namespace conoscope::methods {

template <typename T>
ReluObjective<T>::ReluObjective(const ReluOptions& options) : options_(options) {
  numerics::require_weight("ReluObjective", "weight", options.weight);
}

template <typename T>
SparseLosses ReluObjective<T>::differentiate(const RowMajorRef<T>& x, const Parts<T>& at,
                                             const StepState& state, Parts<T>& gradient) {
  using Row = Eigen::RowVector<T, Eigen::Dynamic>;
  const RowMajor<T>&encoder = at[Part::kEncoder], &atoms = at[Part::kAtoms];
  const auto batch = static_cast<double>(x.rows());
  centred_ = x.rowwise() - at[Part::kDecoderBias].row(0);
  codes_.noalias() = centred_ * encoder.transpose();
  codes_.rowwise() += at[Part::kEncoderBias].row(0);
  codes_ = codes_.cwiseMax(T(0));
  pattern_.read(codes_);
  product_of_pattern(pattern_, codes_, atoms, product_);
  residual_ = centred_ - product_;

  Row cost = Row::Ones(atoms.rows());
  if (options_.by_norms) cost = atoms.rowwise().norm().transpose();
  const Row sums = codes_.colwise().sum();
  SparseLosses losses;
  const double weight = options_.weight * state.pressure;
  losses.error = sum_of_squares(residual_) / batch;
  losses.sparsity = sums.template cast<double>().dot(cost.template cast<double>()) / batch;
  losses.active = static_cast<double>(pattern_.count()) / batch;
  losses.loss = losses.error + weight * losses.sparsity;

  residual_ *= static_cast<T>(2.0 / batch);
  pull_.noalias() = residual_ * atoms.transpose();
  const Row push = cost * static_cast<T>(weight / batch);
  for (Index i = 0; i < codes_.rows(); ++i)
    for (Index j = 0; j < codes_.cols(); ++j)
      pull_(i, j) = codes_(i, j) > T(0) ? push[j] - pull_(i, j) : T(0);  // dL/df
  transposed_product_of_pattern(pattern_, pull_, centred_, gradient[Part::kEncoder]);
  transposed_product_of_pattern(pattern_, codes_, residual_, gradient[Part::kAtoms]);
  gradient[Part::kAtoms] *= T(-1);
  if (options_.by_norms)
    for (Index j = 0; j < atoms.rows(); ++j)
      if (cost[j] > T(0))
        gradient[Part::kAtoms].row(j) +=
            atoms.row(j) * (static_cast<T>(weight / batch) * sums[j] / cost[j]);
  const Row sum = pull_.colwise().sum();
  gradient[Part::kEncoderBias] = sum;
  gradient[Part::kDecoderBias] = -residual_.colwise().sum() - sum * encoder;
  return losses;
}

template class ReluObjective<float>;
template class ReluObjective<double>;

}  // namespace conoscope::methods
