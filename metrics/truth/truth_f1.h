// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How often a latent fires (f > 0), how often the feature does that it stands for (a > 0), and how
/// often both do. A quotient without a denominator is 0.
struct Firing {
  Index both = 0, latent = 0, truth = 0;

  double precision() const;  ///< both / latent
  double recall() const;     ///< both / truth
  double f1() const;         ///< 2 both / (latent + truth), the harmonic mean of the two
};

/// Does a latent fire where its feature does?
///
/// codes        f, n x K.   activations  a, n x N
/// truth_of     K features, one for each latent. Of a subject: argmax_i |cos(w_j, d_i)|, the
///              closest one, which several latents may share; not the partner of truth_mcc
/// returns      one for each latent. The scores truth_f1, truth_precision and truth_recall are
///              means over all latents: one that never fires counts as 0.
/// throws       std::invalid_argument: no row, no latent, shapes that differ, a feature that is
///              none, a code or an activation that is not finite
///
/// Scales of codes do not matter. Atoms that are paired with other latents' codes are seen.
///
/// Source: SynthSAEBench, arXiv 2602.14687; its code, SAELens 6.18, for the zeros.
std::vector<Firing> truth_firing(const MatrixRef& codes, const MatrixRefF& activations,
                                 const IndexVector& truth_of);

/// Of a subject: subject.once(firing_of). throws as learnt_features
std::vector<Firing> firing_of(const Subject& subject);

namespace declare {
/// truth_f1, truth_precision, truth_recall.
std::vector<Metric> truth_f1();
}  // namespace declare

}  // namespace conoscope::metrics
