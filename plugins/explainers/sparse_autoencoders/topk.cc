// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/topk.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "plugins/explainers/topk_sae/sae.h"

namespace conoscope::methods {

template <typename T>
TopKObjective<T>::TopKObjective(Index latents, TopKOptions options)
    : options_(std::move(options)), latents_(latents) {
  if (!(options_.k > 0.0) || options_.k > static_cast<double>(latents))
    throw std::invalid_argument("TopKObjective: k = " + std::to_string(options_.k) +
                                " is not above 0 and at most the " + std::to_string(latents) +
                                " latents");
  if (options_.prefixes.empty()) {
    options_.prefixes = {latents};
    options_.prefix_weights = {1.0};
  }
  const auto& prefixes = options_.prefixes;
  if (prefixes.size() != options_.prefix_weights.size())
    throw std::invalid_argument("TopKObjective: " + std::to_string(prefixes.size()) +
                                " prefixes, but " + std::to_string(options_.prefix_weights.size()) +
                                " weights");
  for (std::size_t g = 0; g < prefixes.size(); ++g)
    if (prefixes[g] <= (g == 0 ? 0 : prefixes[g - 1]))
      throw std::invalid_argument("TopKObjective: prefix " + std::to_string(prefixes[g]) +
                                  " is not larger than the one before it");
  if (prefixes.back() != latents)
    throw std::invalid_argument("TopKObjective: the last prefix is " +
                                std::to_string(prefixes.back()) + ", not the " +
                                std::to_string(latents) + " latents");
  for (const double weight : options_.prefix_weights)
    numerics::require_weight("TopKObjective", "prefix_weights", weight);
  numerics::require_weight("TopKObjective", "aux_weight", options_.aux_weight);
}

// Which codes of the batch stay.
template <typename T>
void TopKObjective<T>::select() {
  pattern_.clear();
  values_.clear();
  const Index rows = pre_.rows();
  const auto keep = [&](Index i, std::int32_t j) {
    pattern_.columns.push_back(j);
    values_.push_back(pre_(i, j));
  };
  if (!options_.whole_batch) {
    for (Index i = 0; i < rows; ++i) {
      largest_positive(pre_.row(i).data(), latents_, static_cast<Index>(options_.k), selected_);
      for (const std::int32_t j : selected_) keep(i, j);
      pattern_.end_row();
    }
    return;
  }
  const auto most = static_cast<Index>(std::floor(options_.k * static_cast<double>(rows)));
  // Only what exceeds a bound is looked at; if that turns out too high, all that is positive.
  const T* const all = pre_.data();
  Index found = 0;
  for (T bound = hint_;; bound = T(0)) {
    candidates_.resize(static_cast<std::size_t>(pre_.size() + 1));
    found = 0;
    for (Index e = 0; e < pre_.size(); ++e) {
      candidates_[static_cast<std::size_t>(found)] = all[e];
      found += all[e] > bound;
    }
    if (found >= most || bound == T(0)) break;
  }
  T least = T(0);  // the smallest that stays, 0: all that is positive
  Index ties = 0;
  // As many as stay may lie above the bound, and more that are positive below it.
  if (most > 0 && (found > most || (found == most && hint_ > T(0)))) {
    const auto last = candidates_.begin() + (most - 1);
    std::nth_element(candidates_.begin(), last, candidates_.begin() + found, std::greater<T>());
    least = *last;
    ties = most - std::count_if(candidates_.begin(), last, [least](T v) { return v > least; });
  }
  for (Index i = 0; i < rows; ++i) {
    const T* const row = pre_.row(i).data();
    for (Index j = 0; j < latents_ && most > 0; ++j)
      if (row[j] > least || (ties > 0 && row[j] == least && ties-- > 0))
        keep(i, static_cast<std::int32_t>(j));
    pattern_.end_row();
  }
  hint_ = least * static_cast<T>(0.7);
}

// The residual of all latents, and for each prefix what pulls at its codes.
template <typename T>
double TopKObjective<T>::rebuild(const RowMajor<T>& atoms, SparseLosses& losses) {
  const Index rows = centred_.rows();
  const auto batch = static_cast<double>(rows);
  const std::size_t groups = options_.prefixes.size();
  losses.prefixes.assign(groups, 0.0);
  pulls_.resize(groups);
  for (auto& pull : pulls_) pull.resize(rows, centred_.cols());
  residual_ = centred_;
  for (Index i = 0; i < rows; ++i) {
    auto slot = static_cast<std::size_t>(pattern_.begin[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(pattern_.begin[static_cast<std::size_t>(i + 1)]);
    for (std::size_t g = 0; g < groups; ++g) {
      for (; slot < end && pattern_.columns[slot] < options_.prefixes[g]; ++slot)
        residual_.row(i) -= values_[slot] * atoms.row(pattern_.columns[slot]);
      losses.prefixes[g] += static_cast<double>(residual_.row(i).squaredNorm()) / batch;
      pulls_[g].row(i) =
          residual_.row(i) * static_cast<T>(2.0 * options_.prefix_weights[g] / batch);
    }
  }
  for (std::size_t g = groups - 1; g-- > 0;) pulls_[g] += pulls_[g + 1];
  double loss = 0.0;
  for (std::size_t g = 0; g < groups; ++g) loss += options_.prefix_weights[g] * losses.prefixes[g];
  losses.error = losses.prefixes.back();
  return loss;
}

// The auxiliary loss; adds its gradient.
template <typename T>
double TopKObjective<T>::revive(const Parts<T>& at, const StepState& state, Parts<T>& gradient) {
  std::vector<Index> dead;
  for (std::size_t j = 0; j < state.dead.size(); ++j)
    if (state.dead[j]) dead.push_back(static_cast<Index>(j));
  const Index most = std::min(options_.aux_k, static_cast<Index>(dead.size()));
  if (most == 0) return 0.0;
  const RowMajor<T> atoms = at[Part::kAtoms](dead, Eigen::all);
  RowMajor<T> codes = pre_(Eigen::all, dead);
  for (Index i = 0; i < codes.rows(); ++i) {
    largest_positive(codes.row(i).data(), codes.cols(), most, selected_);
    const Eigen::RowVector<T, Eigen::Dynamic> row = codes.row(i);
    codes.row(i).setZero();
    for (const std::int32_t j : selected_) codes(i, j) = row[j];
  }
  const Eigen::RowVector<T, Eigen::Dynamic> mean = residual_.colwise().mean();
  const double spread = sum_of_squares<T>(residual_.rowwise() - mean);
  if (spread == 0.0) return 0.0;
  RowMajor<T> left = residual_;
  left.noalias() -= codes * atoms;
  const double loss = sum_of_squares(left) / spread;
  left *= static_cast<T>(2.0 * options_.aux_weight / spread);
  RowMajor<T> pull = left * atoms.transpose();
  pull.array() = (codes.array() > T(0)).select(-pull.array(), T(0));
  const RowMajor<T> of_atoms = codes.transpose() * left, of_encoder = pull.transpose() * centred_;
  for (std::size_t d = 0; d < dead.size(); ++d) {
    const auto from = static_cast<Index>(d);
    gradient[Part::kAtoms].row(dead[d]) -= of_atoms.row(from);
    gradient[Part::kEncoder].row(dead[d]) += of_encoder.row(from);
    sum_[dead[d]] += pull.col(from).sum();
  }
  return loss;
}

template <typename T>
SparseLosses TopKObjective<T>::differentiate(const RowMajorRef<T>& x, const Parts<T>& at,
                                             const StepState& state, Parts<T>& gradient) {
  const RowMajor<T>&encoder = at[Part::kEncoder], &atoms = at[Part::kAtoms];
  centred_ = x;
  if (at.has(Part::kDecoderBias)) centred_.rowwise() -= at[Part::kDecoderBias].row(0);
  pre_.noalias() = centred_ * encoder.transpose();
  pre_.rowwise() += at[Part::kEncoderBias].row(0);
  select();

  SparseLosses losses;
  losses.loss = rebuild(atoms, losses);
  losses.active = static_cast<double>(pattern_.count()) / static_cast<double>(x.rows());

  // The active latents are a handful per row: sums over them, not products of matrices.
  RowMajor<T>&of_encoder = gradient[Part::kEncoder], &of_atoms = gradient[Part::kAtoms];
  of_encoder.setZero(encoder.rows(), encoder.cols());
  of_atoms.setZero(atoms.rows(), atoms.cols());
  sum_.setZero(latents_);
  for (Index i = 0; i < x.rows(); ++i) {
    std::size_t g = 0;
    for (auto slot = static_cast<std::size_t>(pattern_.begin[static_cast<std::size_t>(i)]);
         slot < static_cast<std::size_t>(pattern_.begin[static_cast<std::size_t>(i + 1)]); ++slot) {
      const Index j = pattern_.columns[slot];
      while (j >= options_.prefixes[g]) ++g;
      const auto pull = pulls_[g].row(i);
      of_atoms.row(j) -= values_[slot] * pull;
      const T of_code = -pull.dot(atoms.row(j));
      of_encoder.row(j) += of_code * centred_.row(i);
      sum_[j] += of_code;
    }
  }
  if (options_.aux_weight > 0.0) {
    losses.aux = revive(at, state, gradient);
    losses.loss += options_.aux_weight * losses.aux;
  }
  gradient[Part::kEncoderBias] = sum_.transpose();
  if (at.has(Part::kDecoderBias))
    gradient[Part::kDecoderBias] = -pulls_[0].colwise().sum() - sum_.transpose() * encoder;
  return losses;
}

template <typename T>
RowMajor<T> TopKObjective<T>::codes() const {
  RowMajor<T> out = RowMajor<T>::Zero(pre_.rows(), latents_);
  for (Index i = 0; i < pre_.rows(); ++i)
    for (Index s = pattern_.begin[static_cast<std::size_t>(i)];
         s < pattern_.begin[static_cast<std::size_t>(i + 1)]; ++s)
      out(i, pattern_.columns[static_cast<std::size_t>(s)]) = values_[static_cast<std::size_t>(s)];
  return out;
}

template <typename T>
std::vector<char> TopKObjective<T>::fired() const {
  if (options_.aux_weight == 0.0) return {};
  std::vector<char> out(static_cast<std::size_t>(latents_));
  for (const std::int32_t j : pattern_.columns) out[static_cast<std::size_t>(j)] = 1;
  return out;
}

template <typename T>
double TopKObjective<T>::least_code() const {
  return values_.empty() ? 0.0 : static_cast<double>(*std::ranges::min_element(values_));
}

template class TopKObjective<float>;
template class TopKObjective<double>;

}  // namespace conoscope::methods
