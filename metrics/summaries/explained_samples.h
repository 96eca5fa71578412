// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// What does an explanation say of one sample? The sum that its surrogate makes of the concepts, for
/// the output that the model answers:
///
///   surrogate_logit = bias + sum_k contribution_k,   contribution_k = importance_k score_k
///
/// A row for each of the 6 concepts with the largest contributions in size, the largest first, and one
/// for all others together, whose concept, score and importance are NaN. See surf_surrogate().
///
/// output       the model's largest logit; logit, probability: the model's there (softmax or sigmoid; NaN
///              for a regression), surrogate_logit and surrogate_probability: the surrogate's there
/// surrogate_output  the surrogate's largest logit
/// choice       0: of the samples that the model answers so the one that is explained best, 1: the
///              typical one (the median), 2: the worst, by the error of surf_emd (softmax), surf_prob_mae
///              (sigmoids) or surf_mae (regression); NaN: a sample that was asked for
/// row_r        where in the sample the concept fires, as a share of its strongest position there; see
///              packed_positions()
///
/// At most 10 outputs, evenly spaced among those that the model answers. A randomised twin shows the
/// samples of the explanation that it is a twin of. sample=3+5 shows these and no others.
///
/// throws  std::invalid_argument: as surf_surrogate(); NotApplicable: there is no such sample
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), Eq. 3; which samples is ours.
Summary explained_samples();

}  // namespace conoscope::metrics::declare
