// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/pursuit.h"

#include <utility>

#include "numerics/checks.h"

namespace conoscope::methods {

template <typename T>
PursuitObjective<T>::PursuitObjective(const PursuitOptions& options) : options_(options) {
  numerics::require_at_least("PursuitObjective", "rounds", options.rounds, 1);
}

template <typename T>
SparseLosses PursuitObjective<T>::differentiate(const RowMajorRef<T>& x, const Parts<T>& at,
                                                const StepState& /*state*/, Parts<T>& gradient) {
  using Row = Eigen::RowVector<T, Eigen::Dynamic>;
  const RowMajor<T>& atoms = at[Part::kAtoms];
  const Index rows = x.rows(), latents = atoms.rows();
  const auto batch = static_cast<double>(rows);
  centred_ = x;
  if (at.has(Part::kDecoderBias)) centred_.rowwise() -= at[Part::kDecoderBias].row(0);
  products_.noalias() = centred_ * atoms.transpose();
  gram_.noalias() = atoms * atoms.transpose();
  codes_.setZero(rows, latents);
  RowMajor<T>& of_atoms = gradient[Part::kAtoms];
  of_atoms.setZero(latents, atoms.cols());
  Row of_bias = Row::Zero(atoms.cols()), left, pull, products;
  std::vector<std::pair<Index, T>> taken;

  SparseLosses losses;
  double squares = 0.0;
  Index active = 0;
  for (Index i = 0; i < rows; ++i) {
    taken.clear();
    products = products_.row(i);
    left = centred_.row(i);
    pursue<T>(products, gram_, options_, [&](Index j, T value) {
      taken.emplace_back(j, value);
      codes_(i, j) += value;
      left -= value * atoms.row(j);
    });
    squares += static_cast<double>(left.squaredNorm());
    for (std::size_t s = 0; s < taken.size(); ++s) {
      bool again = false;
      for (std::size_t t = 0; t < s; ++t) again = again || taken[t].first == taken[s].first;
      active += again ? 0 : 1;
    }
    // Back through the rounds; `left` grows back to the row.
    pull = left * static_cast<T>(2.0 / batch);
    for (std::size_t s = taken.size(); s-- > 0;) {
      const auto [j, value] = taken[s];
      const T of_value = -pull.dot(atoms.row(j));
      left += value * atoms.row(j);
      of_atoms.row(j) += of_value * left - value * pull;
      pull += of_value * atoms.row(j);
    }
    of_bias -= pull;
  }
  losses.error = losses.loss = squares / batch;
  losses.active = static_cast<double>(active) / batch;
  if (at.has(Part::kDecoderBias)) gradient[Part::kDecoderBias] = of_bias;
  return losses;
}

template class PursuitObjective<float>;
template class PursuitObjective<double>;

}  // namespace conoscope::methods
