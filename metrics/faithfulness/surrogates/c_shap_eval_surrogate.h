// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/surrogates/c_shap_network.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What the paper states, then (from `batch` on) what it leaves open.
struct CShapEvalOptions {
  Index hidden = 500;
  int epochs = 100;
  double learning_rate = 0.1;
  double smallest_rate = 1e-7;  ///< training stops below it
  Index batch = 128;
  int patience = 10;        ///< epochs without progress before the rate is halved
  double threshold = 1e-4;  ///< of the best loss, that counts as progress
  CShapInitialisation initialisation = CShapInitialisation::kTorch;
  bool biases = true;
};

struct CShapEval {
  Matrix logits;            ///< n x C
  double dead_units = 0.0;  ///< CShapNetwork::dead_units() of the evaluated samples
};

/// What does the model answer, if a network learns to rebuild embeddings from concept scores?
///
/// A CShapNetwork is trained on the training split towards the model's logits (Adam; the rate is
/// halved when the epoch's loss stalls) and then applied to the evaluated samples. Classes with
/// fewer concepts than the largest K_c have their scores filled up with zeros, because one network
/// serves all.
///
/// train    the explained head on the training split.
/// test     of the evaluated samples; the same W, b and explanation. psi acts on pooled embeddings;
///          importances are not used.
/// seed     of the initial weights and of the order of samples in each epoch.
/// returns  Training is in float32, the same bits for the same arguments.
/// throws   std::invalid_argument: a flatten head, whose weights differ by position; width or
///          outputs of train and test disagree; psi returns another shape or an entry that is not
///          finite; an explanation without any concept; an option < 1 or a rate not > 0
///          std::domain_error: training overflowed
///
/// Source: Yeh et al., NeurIPS 2020 (ConceptSHAP), as in Kumar and Ahuja, arXiv 2504.10833, Eq. 7,
/// 14, App. B. Not stated there: batch, patience, threshold, initial weights, biases and the split;
/// see docs/metrics.md.
CShapEval c_shap_eval_surrogate(const ExplainedHead& train, const ExplainedHead& test,
                                CShapLoss loss, std::uint64_t seed,
                                const CShapEvalOptions& options = {});

}  // namespace conoscope::metrics
