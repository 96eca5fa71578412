// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/topk_sae/sae.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/whole_blocks.h"

namespace conoscope::methods {
namespace {

template <typename T>
void check(const std::string& function, Index width, const TopKSae<T>& sae) {
  numerics::require_filled(function, "encoder", sae.encoder);
  numerics::require_filled(function, "dictionary", sae.dictionary);
  numerics::require_filled(function, "bias", RowMajor<T>(sae.bias));
  const Index latents = sae.encoder.rows();
  if (sae.encoder.cols() != width || sae.dictionary.cols() != width ||
      sae.dictionary.rows() != latents || sae.bias.size() != latents)
    throw std::invalid_argument(function + ": encoder " + std::to_string(latents) + " x " +
                                std::to_string(sae.encoder.cols()) + ", dictionary " +
                                numerics::shape_of(sae.dictionary) + " and bias " +
                                std::to_string(sae.bias.size()) + " do not fit rows of width " +
                                std::to_string(width));
  if (sae.top_k < 1 || sae.top_k > latents)
    throw std::invalid_argument(function + ": top_k = " + std::to_string(sae.top_k) +
                                " is not in 1 to " + std::to_string(latents) + " latents");
}

template <typename T>
void normalise_rows(RowMajor<T>& dictionary) {
  for (Index j = 0; j < dictionary.rows(); ++j)
    dictionary.row(j) /= dictionary.row(j).norm() + static_cast<T>(1e-8);
}

template <typename T>
RowMajor<T> pre_codes(const RowMajorRef<T>& x, const TopKSae<T>& sae) {
  RowMajor<T> pre = numerics::product_by_whole_blocks<T>(x, sae.encoder);
  pre.rowwise() += sae.bias.transpose();
  return pre;
}

/// Sum of squares in double; each row in T, which is exact enough for a row.
template <typename T>
double squares(const RowMajor<T>& x) {
  double sum = 0.0;
  for (Index i = 0; i < x.rows(); ++i) sum += static_cast<double>(x.row(i).squaredNorm());
  return sum;
}

/// Sets all entries to 0 but those of the largest positive half.
template <typename T>
void keep_largest_half(T* row, Index width, std::vector<T>& values) {
  const Index half = width / 2;
  values.resize(static_cast<std::size_t>(width));
  Index positive = 0;
  for (Index j = 0; j < width; ++j) {
    row[j] = row[j] > T(0) ? row[j] : T(0);
    values[static_cast<std::size_t>(positive)] = row[j];
    positive += row[j] > T(0);
  }
  if (positive <= half) return;
  if (half == 0) {
    std::fill(row, row + width, T(0));
    return;
  }
  const auto threshold = values.begin() + (half - 1);
  std::nth_element(values.begin(), threshold, values.begin() + positive, std::greater<T>());
  const T least = *threshold;
  Index ties =
      half - std::count_if(values.begin(), threshold, [least](T value) { return value > least; });
  for (Index j = 0; j < width; ++j)
    if (row[j] < least || (row[j] == least && ties-- <= 0)) row[j] = T(0);
}

}  // namespace

template <typename T>
void largest_positive(const T* row, Index width, Index count, std::vector<std::int32_t>& columns) {
  columns.clear();
  const auto most = static_cast<std::size_t>(count);
  // Ordered by falling value; of equals the earlier one stays in front.
  T least = T(0);
  for (Index j = 0; j < width; ++j) {
    if (!(row[j] > least)) continue;
    const auto behind =
        std::upper_bound(columns.begin(), columns.end(), row[j],
                         [row](T value, std::int32_t column) { return value > row[column]; });
    columns.insert(behind, static_cast<std::int32_t>(j));
    if (columns.size() > most) columns.pop_back();
    if (columns.size() == most) least = row[columns.back()];
  }
  std::sort(columns.begin(), columns.end());
}

template <typename T>
RowMajor<T> sae_dictionary(const TopKSae<T>& sae) {
  RowMajor<T> dictionary = sae.dictionary;
  normalise_rows(dictionary);
  return dictionary;
}

template <typename T>
RowMajor<T> sae_encode(const RowMajorRef<T>& x, const TopKSae<T>& sae) {
  numerics::require_filled("sae_encode", "x", x);
  check("sae_encode", x.cols(), sae);
  RowMajor<T> codes = RowMajor<T>::Zero(x.rows(), sae.encoder.rows());
  const Index block = numerics::rows_per_block<T>(sae.encoder.rows());
  std::vector<std::int32_t> active;
  for (Index at = 0; at < x.rows(); at += block) {
    const Index rows = std::min(block, x.rows() - at);
    const RowMajor<T> pre = pre_codes<T>(x.middleRows(at, rows), sae);
    for (Index i = 0; i < rows; ++i) {
      largest_positive(pre.row(i).data(), pre.cols(), sae.top_k, active);
      for (const std::int32_t j : active) codes(at + i, j) = pre(i, j);
    }
  }
  return codes;
}

template <typename T>
SaeLosses sae_losses(const RowMajorRef<T>& x, const TopKSae<T>& sae) {
  const RowMajor<T> codes = sae_encode(x, sae), dictionary = sae_dictionary(sae);
  const RowMajor<T> pre = pre_codes<T>(x, sae);
  RowMajor<T> unused = pre;
  std::vector<T> values;
  for (Index i = 0; i < unused.rows(); ++i) {
    for (Index j = 0; j < unused.cols(); ++j)
      if (codes(i, j) > T(0)) unused(i, j) = T(0);
    keep_largest_half(unused.row(i).data(), unused.cols(), values);
  }
  const RowMajor<T> residual = x - codes * dictionary;
  const RowMajor<T> left = residual - unused * dictionary;
  SaeLosses losses;
  losses.mse = squares(residual) / static_cast<double>(x.size());
  losses.aux = squares(left) / static_cast<double>(x.size());
  double dead = 0.0, pushes = 0.0;
  for (Index j = 0; j < codes.cols(); ++j)
    if ((codes.col(j).array() == T(0)).all()) {
      dead += 1.0;
      pushes -= pre.col(j).template cast<double>().sum();
    }
  losses.reanimation = 0.1 * pushes / (dead + 1e-6);
  return losses;
}

template <typename T>
SaeTrainer<T>::SaeTrainer(TopKSae<T> start, double aux_weight, double clip)
    : sae_(std::move(start)),
      aux_weight_(aux_weight),
      clip_(clip),
      adam_encoder_(sae_.encoder.size()),
      adam_bias_(sae_.bias.size()),
      adam_dictionary_(sae_.dictionary.size()),
      encoder_gradient_(sae_.encoder.rows(), sae_.encoder.cols()),
      dictionary_gradient_(sae_.dictionary.rows(), sae_.dictionary.cols()),
      bias_gradient_(sae_.bias.size()) {
  numerics::require_weight("SaeTrainer", "aux_weight", aux_weight);
  numerics::require_weight("SaeTrainer", "clip", clip);
  if (clip == 0.0) throw std::invalid_argument("SaeTrainer: clip = 0 lets nothing pass");
}

// The unused half's share of loss and gradients. codes_ holds the pre-codes without the active
// ones; on return code_gradient_ holds the gradient of the selected ones, 0 elsewhere.
template <typename T>
double SaeTrainer<T>::auxiliary(const RowMajor<T>& residual) {
  for (Index i = 0; i < codes_.rows(); ++i)
    keep_largest_half(codes_.row(i).data(), codes_.cols(), values_);
  left_.noalias() = residual - codes_ * sae_.dictionary;
  const double loss = squares(left_) / static_cast<double>(residual.size());
  left_ *= static_cast<T>(2.0 * aux_weight_ / static_cast<double>(residual.size()));
  residual_gradient_ += left_;
  dictionary_gradient_.noalias() -= codes_.transpose() * left_;
  code_gradient_.noalias() = left_ * sae_.dictionary.transpose();
  code_gradient_.array() = (codes_.array() > T(0)).select(-code_gradient_.array(), T(0));
  return loss;
}

template <typename T>
double SaeTrainer<T>::step(const RowMajorRef<T>& x, double rate) {
  const Index rows = x.rows(), k = sae_.top_k;
  normalise_rows(sae_.dictionary);
  codes_.noalias() = x * sae_.encoder.transpose();
  codes_.rowwise() += sae_.bias.transpose();
  dictionary_gradient_.setZero();

  // The active latents are a handful per row: sums over them, not products of matrices.
  residual_ = x;
  active_.assign(static_cast<std::size_t>(rows * k), -1);
  std::vector<T> active_values(active_.size());
  for (Index i = 0; i < rows; ++i) {
    largest_positive(codes_.row(i).data(), codes_.cols(), k, selected_);
    for (std::size_t s = 0; s < selected_.size(); ++s) {
      const std::size_t slot = static_cast<std::size_t>(i * k) + s;
      const Index j = selected_[s];
      active_[slot] = selected_[s];
      active_values[slot] = codes_(i, j);
      residual_.row(i) -= codes_(i, j) * sae_.dictionary.row(j);
      codes_(i, j) = T(0);
    }
  }
  double loss = squares(residual_) / static_cast<double>(residual_.size());
  residual_gradient_ = residual_ * static_cast<T>(2.0 / static_cast<double>(residual_.size()));

  const bool dense = aux_weight_ > 0.0;
  if (dense) {
    loss += aux_weight_ * auxiliary(residual_);
  } else {
    encoder_gradient_.setZero();
    bias_gradient_.setZero();
  }
  for (std::size_t slot = 0; slot < active_.size(); ++slot) {
    const Index j = active_[slot], i = static_cast<Index>(slot) / k;
    if (j < 0) continue;
    dictionary_gradient_.row(j) -= active_values[slot] * residual_gradient_.row(i);
    const T gradient = -residual_gradient_.row(i).dot(sae_.dictionary.row(j));
    if (dense) {
      code_gradient_(i, j) = gradient;
    } else {
      encoder_gradient_.row(j) += gradient * x.row(i);
      bias_gradient_[j] += gradient;
    }
  }
  if (dense) {
    encoder_gradient_.noalias() = code_gradient_.transpose() * x;
    bias_gradient_ = code_gradient_.colwise().sum().transpose();
  }

  const double norm = std::sqrt(squares(encoder_gradient_) + squares(dictionary_gradient_) +
                                static_cast<double>(bias_gradient_.squaredNorm()));
  // The 1e-6 is torch.nn.utils.clip_grad_norm_'s.
  const T scale = static_cast<T>(std::min(1.0, clip_ / (norm + 1e-6)));
  adam_encoder_.step(sae_.encoder.data(), encoder_gradient_.data(), rate, scale);
  adam_bias_.step(sae_.bias.data(), bias_gradient_.data(), rate, scale);
  adam_dictionary_.step(sae_.dictionary.data(), dictionary_gradient_.data(), rate, scale);
  return loss;
}

template <typename T>
TopKSae<T> sae_initialise(Index width, Index latents, Index top_k, numerics::Seed seed) {
  numerics::require_at_least("sae_initialise", "width", width, 1);
  numerics::require_at_least("sae_initialise", "latents", latents, 1);
  TopKSae<T> sae;
  sae.top_k = top_k;
  const double bound = 1.0 / std::sqrt(static_cast<double>(width));
  numerics::Random encoder(seed.child("encoder")), dictionary(seed.child("dictionary"));
  sae.encoder.resize(latents, width);
  sae.bias.resize(latents);
  sae.dictionary.resize(latents, width);
  for (Index i = 0; i < sae.encoder.size(); ++i)
    sae.encoder.data()[i] = static_cast<T>(encoder.uniform(-bound, bound));
  for (Index i = 0; i < latents; ++i) sae.bias[i] = static_cast<T>(encoder.uniform(-bound, bound));
  for (Index i = 0; i < sae.dictionary.size(); ++i)
    sae.dictionary.data()[i] = static_cast<T>(dictionary.normal());
  normalise_rows(sae.dictionary);
  return sae;
}

TopKSae<float> sae_fit(const RowSource& x, const SaeOptions& options, numerics::Seed seed,
                       const std::function<void(int)>& after_epoch) {
  numerics::require_at_least("sae_fit", "latents", options.latents, 1);
  numerics::require_at_least("sae_fit", "epochs", options.epochs, 1);
  numerics::require_at_least("sae_fit", "batch", options.batch, 1);
  numerics::require_weight("sae_fit", "learning_rate", options.learning_rate);
  TopKSae<float> start = sae_initialise<float>(x.cols(), options.latents, options.top_k, seed);
  numerics::require_at_least("sae_fit", "rows of x", x.rows(), 1);
  check("sae_fit", x.cols(), start);
  require_finite_rows("sae_fit", "x", x, 1);
  SaeTrainer<float> trainer(std::move(start), options.aux_weight, options.clip);

  const Index n = x.rows(), batch = std::min(options.batch, n);
  const Index per_epoch = (n + batch - 1) / batch;
  const double all_steps = static_cast<double>(per_epoch) * options.epochs;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Random shuffling(seed.child("order"));
  MatrixF rows(batch, x.cols());
  double done = 0.0;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    shuffling.shuffle(order);
    for (Index at = 0; at < n; at += batch) {
      const Index count = std::min(batch, n - at);
      for (Index i = 0; i < count; ++i)
        rows.row(i) = x.block(order[static_cast<std::size_t>(at + i)], 1).cast<float>();
      const double rate =
          options.learning_rate * 0.5 * (1.0 + std::cos(std::numbers::pi * done / all_steps));
      const double loss = trainer.step(rows.topRows(count), rate);
      if (!std::isfinite(loss))
        throw std::domain_error("sae_fit: the loss is " + std::to_string(loss) + " in epoch " +
                                std::to_string(epoch + 1) + "; are the rows of x very large?");
      done += 1.0;
    }
    if (after_epoch) after_epoch(epoch);
  }
  return trainer.sae();
}

template class SaeTrainer<float>;
template class SaeTrainer<double>;
template void largest_positive(const float*, Index, Index, std::vector<std::int32_t>&);
template void largest_positive(const double*, Index, Index, std::vector<std::int32_t>&);
template RowMajor<float> sae_dictionary(const TopKSae<float>&);
template RowMajor<double> sae_dictionary(const TopKSae<double>&);
template RowMajor<float> sae_encode(const RowMajorRef<float>&, const TopKSae<float>&);
template RowMajor<double> sae_encode(const RowMajorRef<double>&, const TopKSae<double>&);
template SaeLosses sae_losses(const RowMajorRef<float>&, const TopKSae<float>&);
template SaeLosses sae_losses(const RowMajorRef<double>&, const TopKSae<double>&);
template TopKSae<float> sae_initialise(Index, Index, Index, numerics::Seed);
template TopKSae<double> sae_initialise(Index, Index, Index, numerics::Seed);

}  // namespace conoscope::methods
