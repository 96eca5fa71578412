// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metrics/types.h"

namespace conoscope::metrics {

/// f: features -> hidden ReLU -> hidden ReLU -> one sigmoid output per concept.
struct NicheNetwork {
  Matrix weight[3];  ///< in x out
  Vector bias[3];

  Index features() const { return weight[0].rows(); }
  Index outputs() const { return weight[2].cols(); }

  /// n x features -> probabilities, n x outputs. Equal rows have equal bits.
  Matrix probabilities(const MatrixRef& x) const;
};

struct NicheTraining {
  Index hidden = 20;
  Index most_epochs = 1000;
  Index batch = 512;               ///< at most
  std::uint32_t random_state = 1;  ///< the reference's, which never draws another
};

/// One network that predicts all concepts from all representations.
///
/// Cross entropy summed over the outputs, mean over samples, plus 1e-4/(2n) |W|^2; Adam 1e-3;
/// Glorot-uniform weights and biases; stops when the loss of an epoch was not 1e-4 below the best
/// for more than ten epochs. In float32. Initial weights and the order of samples are those of
/// scikit-learn with this random_state, so that a published value can be had again.
///
/// x         n x features.   y  n x k of 0 and 1
/// throws    std::invalid_argument: no rows or columns, rows that differ, an entry not finite, y
///           not 0 or 1, an option < 1
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, whose code takes scikit-learn's MLPClassifier;
/// these are its rules.
NicheNetwork train_niche_network(const MatrixRef& x, const MatrixRef& y,
                                 const NicheTraining& options = {});

}  // namespace conoscope::metrics
