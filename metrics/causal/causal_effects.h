// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/leakage/intervention.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What changing one concept does to some values, the other concepts left as they are.
struct CausalEffects {
  /// tau, k x M: row j is E[F | do(c_j <- 1)] - E[F | do(c_j <- 0)]. NaN in the row of a concept
  /// that never changes, whose effect nobody can know.
  Matrix effect;
  double coverage = 1.0;  ///< the smallest of the 2 k means, see mean_do; 1: nothing is missing
};

/// How much does each concept, changed alone, change some values on average?
///
///   tau_jm = E[F_m | do(c_j <- 1)] - E[F_m | do(c_j <- 0)]
///   E[F_m | do(c_j <- v)] = sum over observed combinations c with c_j = v of
///                           p(c_rest) mean(F_m | c) / coverage
///
/// The other concepts keep the distribution that they have, whatever depends on what; what is mixed
/// up with a concept and is no concept counts as the concept. On a full grid of factors that each
/// concept divides in two, this is the mean difference between an image and the same image drawn
/// with another value.
///
/// values    F, n x M: logits, or concept scores.
/// concepts  n x k, 0 or 1.
/// throws    std::invalid_argument: n < 1, k < 1, M < 1, numbers of rows that differ, an entry not
///           finite, a concept that is neither 0 nor 1
///
/// Source: Goyal et al., Explaining Classifiers with Causal Concept Effect, arXiv 1907.07165; the
/// adjustment is Eq. 7 of Suter et al., ICML 2019.
CausalEffects causal_effects(const MatrixRef& values, const MatrixRef& concepts);

/// What does an explanation say that each concept does to each output?
///
///   claim_jc = sum over the concepts k of output c that are named j of alpha_ck tau_jk,
///   tau_jk   = E[psi_k | do(c_j <- 1)] - E[psi_k | do(c_j <- 0)]
///
/// A concept of the explanation is named after the annotated one that its scores correlate with most
/// (|Pearson|; the first among equals; a constant on either side correlates by 0): so somebody names
/// concepts who looks at what they fire for. An annotated concept that none is named after is claimed to do nothing.
///
/// of        with a head that is not flattened; psi acts on pooled rows.
/// concepts  n x k, 0 or 1.
/// returns   k x C; NaN in the row of a concept that never changes.
/// throws    as causal_effects and concept_scores
Matrix claimed_effects(const ExplainedHead& of, const MatrixRef& concepts);

/// What does a concept model say that each concept does: its task head asked with the concept set,
/// and with it not set, everything else as the model sees it, averaged over the samples?
///
/// returns  k x C.   throws  std::invalid_argument: as CheckedIntervention::answer
Matrix claimed_effects(const CheckedIntervention& problem);

}  // namespace conoscope::metrics
