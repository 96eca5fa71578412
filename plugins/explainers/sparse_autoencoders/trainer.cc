// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/trainer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "numerics/checks.h"

namespace conoscope::methods {

template <typename T>
DictionaryTrainer<T>::DictionaryTrainer(std::unique_ptr<Objective<T>> objective, Parts<T> start,
                                        const TrainerOptions& options)
    : objective_(std::move(objective)), parts_(std::move(start)), options_(options) {
  numerics::require_weight("DictionaryTrainer", "clip", options.clip);
  const bool by_points = parts_.has(Part::kWeights);
  if (!by_points) numerics::require_filled("DictionaryTrainer", "atoms", parts_[Part::kAtoms]);
  for (const auto& part : parts_.all) {
    numerics::require_finite("DictionaryTrainer", "start", part);
    adam_.emplace_back(part.size(),
                       numerics::AdamOptions{.beta1 = options.beta1, .beta2 = options.beta2});
  }
  for (std::size_t p = 0; p < kPartCount; ++p)
    gradient_.all[p].setZero(parts_.all[p].rows(), parts_.all[p].cols());
  first_atoms_ = parts_[Part::kAtoms];
  silent_.assign(static_cast<std::size_t>(parts_[by_points ? Part::kWeights : Part::kAtoms].rows()),
                 0);
}

template <typename T>
bool DictionaryTrainer<T>::learns(std::size_t part) const {
  return parts_.all[part].size() > 0 &&
         std::ranges::find(options_.frozen, static_cast<Part>(part)) == options_.frozen.end();
}

template <typename T>
SparseLosses DictionaryTrainer<T>::step(const RowMajorRef<T>& x, double rate,
                                        const StepState& state) {
  objective_->constrain(parts_);
  SparseLosses losses = objective_->differentiate(x, parts_, state, gradient_);
  const auto fired = objective_->fired();
  for (std::size_t j = 0; j < fired.size(); ++j) silent_[j] = fired[j] ? 0 : silent_[j] + 1;

  RowMajor<T>& atoms = parts_[Part::kAtoms];
  const bool unit = options_.unit_atoms && learns(static_cast<std::size_t>(Part::kAtoms));
  if (unit) {
    RowMajor<T>& of_atoms = gradient_[Part::kAtoms];
    for (Index j = 0; j < atoms.rows(); ++j) {
      const T along = of_atoms.row(j).dot(atoms.row(j)) / atoms.row(j).squaredNorm();
      of_atoms.row(j) -= along * atoms.row(j);
    }
  }
  double squares = 0.0;
  for (std::size_t p = 0; p < kPartCount; ++p)
    if (learns(p)) squares += sum_of_squares(gradient_.all[p]);
  losses.gradient_norm = std::sqrt(squares);
  // The 1e-6 is torch.nn.utils.clip_grad_norm_'s.
  const T scale = options_.clip > 0.0
                      ? static_cast<T>(std::min(1.0, options_.clip / (losses.gradient_norm + 1e-6)))
                      : T(1);
  for (std::size_t p = 0; p < kPartCount; ++p)
    if (learns(p)) adam_[p].step(parts_.all[p].data(), gradient_.all[p].data(), rate, scale);
  if (unit) atoms.rowwise().normalize();
  if (unit && options_.least_cosine > -1.0)
    keep_in_cones(atoms, first_atoms_, options_.least_cosine);
  return losses;
}

template <typename T>
std::vector<char> DictionaryTrainer<T>::dead() const {
  std::vector<char> out(silent_.size());
  for (std::size_t j = 0; j < silent_.size(); ++j) out[j] = silent_[j] >= options_.dead_after;
  return out;
}

template <typename T>
void DictionaryTrainer<T>::resume(Part part, const RowMajor<T>& mean, const RowMajor<T>& square,
                                  long steps) {
  const auto& mine = parts_[part];
  if (mean.size() != mine.size() || square.size() != mine.size())
    throw std::invalid_argument("DictionaryTrainer::resume: moments " + numerics::shape_of(mean) +
                                " and " + numerics::shape_of(square) + " of a part " +
                                numerics::shape_of(mine));
  adam_[static_cast<std::size_t>(part)].resume(mean.data(), square.data(), steps);
}

template <typename T>
Index keep_in_cones(RowMajor<T>& atoms, const RowMajor<T>& start, double cosine) {
  const T least = static_cast<T>(cosine);
  const T sine = static_cast<T>(std::sqrt(1.0 - cosine * cosine));
  Index moved = 0;
  for (Index j = 0; j < atoms.rows(); ++j) {
    const T along = atoms.row(j).dot(start.row(j));
    if (along >= least) continue;
    ++moved;
    const Eigen::RowVector<T, Eigen::Dynamic> across = atoms.row(j) - along * start.row(j);
    const T norm = across.norm();
    atoms.row(j) = start.row(j);
    if (norm > T(0)) atoms.row(j) = least * start.row(j) + (sine / norm) * across;
  }
  return moved;
}

template class DictionaryTrainer<float>;
template class DictionaryTrainer<double>;
template Index keep_in_cones(RowMajor<float>&, const RowMajor<float>&, double);
template Index keep_in_cones(RowMajor<double>&, const RowMajor<double>&, double);

}  // namespace conoscope::methods
