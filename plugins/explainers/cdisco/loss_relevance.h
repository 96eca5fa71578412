// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// How fast does the cross entropy of a sample rise with its logits? p - onehot(target), where p is
/// the softmax of the logits (max-shifted).
///
/// logits      N x C, finite
/// targets     N, each in [0, C)
/// returns     N x C
/// throws      std::invalid_argument: logits empty or not finite; the sizes differ; a target
///             outside its range
Matrix cross_entropy_gradient(const MatrixRef& logits, const std::vector<Index>& targets);

/// Where does an activation push the loss up? The mean over positions of max(0, gradient) o
/// activation.
///
/// activations, gradients   (N * positions) x D, positions of a sample follow each other; finite
/// returns                  N x D
/// throws      std::invalid_argument: empty or not finite; shapes differ; rows no multiple of
///             positions
///
/// Source: Graziani et al., "Uncovering unique concept vectors through latent space decomposition"
/// (CDISCO), TMLR 2023.
Matrix rectified_relevance(const MatrixRef& activations, const MatrixRef& gradients,
                           Index positions);

/// By how many standard deviations does a group's mean lie above the others'?
///
///   z_k = (mean of x_k in the group - mean of x_k outside) / (standard deviation of x_k outside)
///
/// with the population standard deviation (divided by the number).
///
/// x           N x K, finite
/// groups      N: the group of each row
/// returns     K
/// throws      std::invalid_argument: x empty or not finite; the sizes differ
///             std::domain_error: the group is empty or holds all rows, or the others do not vary
///             in some k
Eigen::RowVectorXd z_score_of_group(const MatrixRef& x, const std::vector<Index>& groups,
                                    Index group);

}  // namespace conoscope::methods
