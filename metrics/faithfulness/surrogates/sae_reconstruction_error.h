// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/checked_explanation.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How much of the embeddings is lost between projection and reconstruction?
///
///   mean_c  sum_x |h - psi^-1(psi(h; V_c); V_c)|^2 / sum_x |h|^2
///
/// rows         h, n x D: pooled embeddings.
/// explanation  class-agnostic: one term, no mean. Class-specific: each output rebuilds every
///              sample with its own concepts, as ICE-Eval does. Without a reconstruction of its own
///              it is read as sum_k p_k v_k.
/// returns      [0, inf); 0: nothing is lost, 1: as bad as answering 0.
/// throws       std::invalid_argument: n < 1, D < 1, CAVs of another width, an entry not finite;
///              psi or its inverse returns another shape or an entry that is not finite
///              std::domain_error: all rows are 0
///
/// Source: the training objective of sparse autoencoders as a measure, Kumar and Ahuja,
/// arXiv 2504.10833, App. A, which objects that it maps to no error of the output.
double sae_reconstruction_error(const MatrixRef& rows, const CheckedExplanation& explanation);

/// The same with h each position of each sample. The error of every position counts, not that of their
/// mean: this is what an autoencoder of positions (App. C.10) was trained to make small.
double sae_reconstruction_error_spatial_mean(const ExplainedHead& of);

namespace declare {
std::vector<Metric> sae_reconstruction_error();
}  // namespace declare

}  // namespace conoscope::metrics
