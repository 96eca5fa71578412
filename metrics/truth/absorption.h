// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct AbsorptionOptions {
  double least_cosine = 0.1;         ///< of an absorbing latent's atom with p
  double least_cosine_full = 0.025;  ///< of the one that absorbs a row fully
  double least_share = 0.4;          ///< of y, that absorbing latents must make up
  Index most = 3;                    ///< absorbing latents of a row
};

/// Of each row how much of it is absorbed, in [0, 1], and whether it is fully: 0 or 1.
struct Absorption {
  Vector fraction, full;
};

/// Do other latents write a concept's direction where its own latents should?
///
///   y = <x, p>,   c_j = cos(w_j, p),   m = sum of f_j c_j over main latents
///   S = sum of the `most` largest f_j c_j over other latents with c_j >= least_cosine
///   fraction = 0 where m >= y or S < least_share y;  1 where m <= 0;  else t / (t + m),
///              t = min(S, y - m)
///   full     = 1 where no main latent fires and the latent with the largest f_j c_j has
///              c_j >= least_cosine_full and f_j c_j >= least_share y
///
/// rows     x, r x D: those that hold the concept and that its probe calls positive. Where y <= 0:
///          0 and 0
/// codes    f, r x K: of atoms of length 1.   atoms  w, K x D; c_j uses their directions
/// probe    p, D: scaled to length 1; not 0
/// main     the latents that stand for the concept, at least one, each once
/// throws   std::invalid_argument: shapes that do not fit, no main latent, one that is none, not
///          finite
///
/// Source: Chanin et al., arXiv 2409.14507; fraction: Karvonen et al., SAEBench, arXiv 2503.09532.
Absorption absorption(const MatrixRef& rows, const MatrixRef& codes, const MatrixRef& atoms,
                      const VectorRef& probe, const IndexVector& main,
                      const AbsorptionOptions& options = {});

/// How many latents share a concept, each adding to what the ones before it tell?
///
///   the largest k with F1(i) > F1(i - 1) + step for all i = 2 ... k
///
/// most     >= 1.   f1  of a probe of k latents; asked for 1, 2, ... until one adds too little
/// throws   std::invalid_argument: most < 1
///
/// Source: as above.
Index splits(Index most, const std::function<double(Index k)>& f1, double step = 0.03);

/// Absorption of each feature with children, in a world that is known.
struct ParentAbsorption {
  IndexVector parents;                            ///< features with children, ascending
  Vector fraction, full;                          ///< of each the mean over rows; NaN: left out
  Index no_latent = 0, rare = 0, not_linear = 0;  ///< why that many were
};

/// Is a parent's direction written by latents of other features, such as its children's?
///
/// The rows are divided in two halves by the seed: one to choose and fit on, one to judge on.
///
///   p       the parent's direction d_p; its probe a logistic regression of a_p > 0 on <x, p>
///   rows    where the parent is active and the probe says so
///   main    of the latents that stand for the parent (absorption_excess.h) the first splits() by
///           |mean difference| (sparse_probing.h)
///
/// activations  n x N: active where > 0.   directions  N x D.   parent  N, -1: none
/// features     K: the feature that each latent stands for
/// returns      left out: no latent stands for the parent; fewer than kLeastProbed rows of a half
///              with it, or without; F1 of its probe not above kLeastProbeF1: the direction does
///              not tell it
/// throws       std::invalid_argument: as absorption(); numbers of rows or features that differ
///
/// Of the truth itself 0 if directions are orthogonal; else they write a little of each other (0.02
/// with 64 random ones in 64 dimensions).
///
/// SAEBench takes main latents from all. Where a child is active in a tenth of its parent's rows
/// its latent adds more than the step to F1, so an absorbing one would count as a second latent of
/// the parent and hide what it does; the truth says whose it is.
ParentAbsorption absorption_of_parents(const MatrixRef& rows, const MatrixRef& codes,
                                       const MatrixRef& atoms, const MatrixRefF& activations,
                                       const MatrixRef& directions, const IndexVector& parent,
                                       const IndexVector& features, std::uint64_t seed);
inline constexpr double kLeastProbeF1 = 0.6;
inline constexpr Index kMostMainLatents = 10;

namespace declare {
/// absorption, absorption_full: means over parents.
std::vector<Metric> absorption();
}  // namespace declare

}  // namespace conoscope::metrics
