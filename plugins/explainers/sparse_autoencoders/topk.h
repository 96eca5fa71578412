// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/sparse_autoencoders/objective.h"

namespace conoscope::methods {

struct TopKOptions {
  double k = 5;             ///< active latents of a row; with whole_batch on average
  bool whole_batch = true;  ///< the floor(k B) largest of the batch, not the k largest of each row
  std::vector<Index> prefixes;         ///< ascending, the last is K; none: one of all latents
  std::vector<double> prefix_weights;  ///< as many
  double aux_weight = 0.0;
  Index aux_k = 0;  ///< the most latents of a row that the auxiliary loss uses
};

/// Sparse codes by selection: TopK, BatchTopK and, with prefixes, Matryoshka autoencoders.
///
///   z = E (x - b_dec) + b_enc,   f = the largest of ReLU(z)
///   x^_g = b_dec + sum_{j < K_g} f_j w_j
///   loss = sum_g c_g |x - x^_g|^2 + aux_weight * aux
///   aux  = |r - f_a w|^2 / |r - mean r|^2,  0 / 0 = 0
///
/// r = x - x^ is outside the gradient; f_a are per row the aux_k largest ReLU(z) of dead latents,
/// and their sum has no bias. The numbers of aux are sums over the batch. Without the part b_dec it
/// is 0. Of equal codes the one of the lowest row, then latent, counts as the larger.
///
/// throws      std::invalid_argument: k outside (0, K], prefixes that do not rise to K or have
///             other weights, a weight that is negative
///
/// Source: Gao et al., arXiv:2406.04093; Bussmann et al., arXiv:2412.06410 (BatchTopK) and
/// arXiv:2503.17547 (Matryoshka); AuxK as in dictionary_learning 60ec6bf.
template <typename T>
class TopKObjective final : public Objective<T> {
 public:
  TopKObjective(Index latents, TopKOptions options);

  SparseLosses differentiate(const RowMajorRef<T>& x, const Parts<T>& at, const StepState& state,
                             Parts<T>& gradient) override;
  RowMajor<T> codes() const override;
  std::vector<char> fired() const override;
  /// The smallest code above 0 of the last call; 0 where there is none.
  double least_code() const;

 private:
  void select();
  double rebuild(const RowMajor<T>& atoms, SparseLosses& losses);
  double revive(const Parts<T>& at, const StepState& state, Parts<T>& gradient);

  TopKOptions options_;
  Index latents_;
  Pattern pattern_;
  std::vector<T> values_;  ///< of the pattern
  RowMajor<T> centred_, pre_, residual_;
  std::vector<RowMajor<T>> pulls_;  ///< of each prefix: gradient of the loss by x - x^, from it on
  Eigen::Vector<T, Eigen::Dynamic> sum_;  ///< of dL/dz over rows
  std::vector<T> candidates_;
  std::vector<std::int32_t> selected_;
  T hint_ = T(0);  ///< below the last batch's smallest code
};

}  // namespace conoscope::methods
