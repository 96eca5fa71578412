// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metrics/faithfulness/attack/attack.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// Training samples moved so that what is fitted to them turns, while every logit stays as it is.
///
///   d_i  = epsilon P_i u / |P_i u|               u of N(0, 1) entries, one for all samples
///   h_i' = h_i + d_i  where <h_i - m_i, d_i> > 0,   else h_i
///
/// P_i projects on the silent moves of sample i, m_i is the mean h of the samples that the model puts in the
/// class of i (softmax; else of all samples). So of each class the half that is ahead in one direction is
/// pushed on: its mean moves, and it spreads more that way. A sample without a silent move stays.
///
/// Below average pooling, where no pooled activation is negative, feature j is scaled at all positions of the
/// sample by 1 + d_j / h_j, which moves h by d and keeps what is 0 at 0. Else every position moves by d.
///
/// head     of the last layer, not flattened
/// share    epsilon as a share of the mean |h|, > 0
/// returns  (n * P) x D, read from head.activations when it is read, which stay where they are
/// throws   std::invalid_argument: the share, shapes, an entry that is not finite;
///          std::domain_error: every activation is 0
///
/// Source: ours; that exemplars which were moved teach an explainer other concepts: Brown and Kvinge,
/// arXiv 2110.07120. They move images, by gradients and against one concept that was chosen; here
/// activations move, and in a direction that nobody has chosen.
RowSource poisoned_samples(const HeadView& head, std::uint64_t seed,
                           double share = AttackOptions{}.share);

/// Noise to read it against: with the same seed the same samples are moved by the same length, each in
/// a direction of its own in the same coordinates, noticed by the model or not.
RowSource noisy_samples(const HeadView& head, std::uint64_t seed,
                        double share = AttackOptions{}.share);

}  // namespace conoscope::metrics
