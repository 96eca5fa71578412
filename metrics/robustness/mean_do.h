// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/robustness/factor_cells.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How Eq. 7's weights become a mean where some combinations of factors were never seen.
enum class InterventionWeights {
  kSelfNormalised,  ///< divided by their sum: does not depend on where z = 0 lies
  kLiteral,         ///< as Eq. 7 stands: shrinks towards z = 0 by the coverage
};

/// E[Z | do(G_S <- g_S)] for every observed g_S.
struct InterventionalMeans {
  Matrix values;        ///< groups x |S|: g_S, in lexicographic order; S = {}: one group
  Matrix mean;          ///< groups x K'
  Vector coverage;      ///< c(g_S), the sum of Eq. 7's weights; 1: nothing is missing
  Vector samples;       ///< n(g_S)
  IndexVector of_cell;  ///< which group a cell belongs to
};

/// What would the mean code be if the factors S were set to g_S, whatever confounds them?
///
///   E[Z | do(g_S)] = sum over observed cells g with these g_S of p(g_\S) zbar(g) / c(g_S)
///   c(g_S)         = sum over the same cells of p(g_\S)           literal: without the division
///
/// With S empty it is the overall mean, with S all factors the mean of the cell. On crossed data it
/// is the conditional mean; on confounded data the conditional mean would be wrong.
///
/// intervened  S: factor numbers, each once.
/// returns     only g_S that occur; there is no mean for others, and no 0 in its place. c is below
///             1 where some observed g_\S was never seen together with g_S.
/// throws      std::invalid_argument: a factor number out of range or repeated
///
/// Source: Suter et al., ICML 2019, Eq. 7 and Algorithm 1; the division is ours.
InterventionalMeans mean_do(const FactorCells& cells, const IndexVector& intervened,
                            InterventionWeights weights = InterventionWeights::kSelfNormalised);

namespace detail {

/// As mean_do of known factors, each once; relative to FactorCells::origin if self-normalised.
InterventionalMeans centred_mean_do(const FactorCells& cells, const IndexVector& intervened,
                                    InterventionWeights weights);

/// Factors are in range and named once each.
void require_subset(std::string_view metric, std::string_view argument, const IndexVector& subset,
                    Index size);

/// The numbers 0 ... size-1 that are not in `subset`.
IndexVector complement(const IndexVector& subset, Index size);

}  // namespace detail

}  // namespace conoscope::metrics
