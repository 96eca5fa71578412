// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "numerics/adam.h"
#include "numerics/random.h"
#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// A TopK sparse autoencoder.
///
///   code(x)   = the top_k largest entries of max(0, E x + b), all others 0
///   x^        = code(x) D',   D'_j = D_j / (|D_j| + 1e-8); no decoder bias
///
/// encoder     E, L x D;  bias  b, L;  dictionary  D, L x D, rows of any length
/// A row with fewer than top_k positive entries has fewer active latents. Of equal entries the one
/// of the lowest index counts as the larger.
///
/// Source: Makhzani & Frey, k-sparse autoencoders, ICLR 2014; Gao et al., arXiv:2406.04093, for the
/// ReLU before the selection. Fel, overcomplete, for the dictionary's norm.
template <typename T>
struct TopKSae {
  RowMajor<T> encoder;
  Eigen::Vector<T, Eigen::Dynamic> bias;
  RowMajor<T> dictionary;
  Index top_k = 5;
};

/// The columns of the `count` largest positive entries of a row, ascending; fewer where fewer are
/// positive.
template <typename T>
void largest_positive(const T* row, Index width, Index count, std::vector<std::int32_t>& columns);

/// Each row divided by (its norm + 1e-8); a zero row stays zero.
template <typename T>
RowMajor<T> sae_dictionary(const TopKSae<T>& sae);

/// x n x D -> codes n x L.
/// throws      std::invalid_argument: x, or a part of sae, is empty, has another width or an entry
///             that is not finite; top_k outside 1 to L
template <typename T>
RowMajor<T> sae_encode(const RowMajorRef<T>& x, const TopKSae<T>& sae);

/// What training minimises, and two companions.
///
///   mse    = mean over all entries of r = x - x^
///   aux    = mean over all entries of (r - a D')^2: a holds, per row, the largest half (floor L/2)
///            of the positive pre-codes that are not among the top k: latents that were not needed
///            learn what is left over. r is not detached from the gradient.
///   reanimation = -0.1 sum_dead sum_i (E x_i + b)_j / (number of dead latents + 1e-6), dead: in no
///            row's code. Not part of the loss; it says how far dead latents are from firing.
///
/// throws      as sae_encode
struct SaeLosses {
  double mse = 0.0, aux = 0.0, reanimation = 0.0;
};
template <typename T>
SaeLosses sae_losses(const RowMajorRef<T>& x, const TopKSae<T>& sae);

/// Steps of Adam on mse + aux_weight * aux, the gradient clipped to norm 1 as a whole. Rows of the
/// dictionary are set to their normalised form at the start of each step, outside the gradient.
template <typename T>
class SaeTrainer {
 public:
  /// throws    std::invalid_argument: aux_weight or clip is not a finite number >= 0, clip is 0
  SaeTrainer(TopKSae<T> start, double aux_weight, double clip = 1.0);

  /// One step; returns the loss before it. x: b x D, any b >= 1.
  double step(const RowMajorRef<T>& x, double rate);

  const TopKSae<T>& sae() const { return sae_; }

 private:
  double auxiliary(const RowMajor<T>& residual);

  TopKSae<T> sae_;
  double aux_weight_, clip_;
  numerics::Adam<T> adam_encoder_, adam_bias_, adam_dictionary_;
  RowMajor<T> encoder_gradient_, dictionary_gradient_;
  Eigen::Vector<T, Eigen::Dynamic> bias_gradient_;
  RowMajor<T> codes_, code_gradient_, residual_, left_, residual_gradient_;
  std::vector<std::int32_t> active_, selected_;
  std::vector<T> values_;
};

struct SaeOptions {
  Index latents = 0;
  Index top_k = 5;
  int epochs = 60;
  Index batch = 256;
  double learning_rate = 2e-3;  ///< falls to 0 along half a cosine, step by step
  double aux_weight = 0.1;
  double clip = 1.0;
};

/// A start: encoder and bias U(-1/sqrt(D), 1/sqrt(D)), dictionary standard normal rows of norm 1.
template <typename T>
TopKSae<T> sae_initialise(Index width, Index latents, Index top_k, numerics::Seed seed);

/// Trains on the rows of x, in float32 and read when their turn comes, in a fresh random order each epoch; the last batch may be smaller.
/// after_epoch(epoch) is called after each, and may throw to stop. One thread; same bits always.
///
/// throws      std::invalid_argument: as sae_encode; latents, epochs or batch below 1, a rate or
///             weight that is negative or not finite
///             std::domain_error: the loss is no longer finite
TopKSae<float> sae_fit(const RowSource& x, const SaeOptions& options, numerics::Seed seed,
                       const std::function<void(int)>& after_epoch = {});

extern template class SaeTrainer<float>;
extern template class SaeTrainer<double>;

}  // namespace conoscope::methods
