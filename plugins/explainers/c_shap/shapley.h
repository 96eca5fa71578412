// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/random.h"
#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// Coalitions as rows of 0 and 1: entry (i, p) says whether player p takes part in coalition i.
using Coalitions = RowMajor<std::uint8_t>;

/// All 2^n coalitions; bit p of the row's number says whether player p takes part.
/// throws      std::invalid_argument: players outside 1 to 20
Coalitions all_coalitions(Index players);

/// What is each player's share of the game? (Shapley values, by enumeration)
///
///   phi_p = sum_{S without p} |S|! (n - |S| - 1)! / n!  (v(S + p) - v(S))
///
/// values      2^n values of the game, in the order of all_coalitions
/// returns     n; they sum to v(all) - v(none)
/// throws      std::invalid_argument: not 2^n values with n in 1 to 20, or one is not finite
///
/// Source: Shapley, A value for n-person games, 1953.
Vector shapley_exact(const VectorRef& values);

/// The weight of a coalition of `size` of n players in KernelSHAP:
///   (n - 1) / (binomial(n, size) size (n - size)),   1 <= size <= n - 1
/// throws      std::invalid_argument: n < 2 or size outside 1 to n - 1
double shapley_kernel(Index players, Index size);

/// `count` random coalitions, neither empty nor full: sizes as likely as the kernel makes them
/// (proportional to 1 / (size (n - size))), then all subsets of a size alike. Each second one is
/// the complement of the one before it, which has the same probability and lowers the variance.
/// throws      std::invalid_argument: n < 2 or count < 1
Coalitions sample_coalitions(Index players, Index count, numerics::Seed seed);

/// KernelSHAP: Shapley values by weighted least squares over some coalitions, with the efficiency
/// constraint sum_p phi_p = v(all) - v(none) put in by substitution for the last player.
///
///   minimise sum_i weight_i (v(S_i) - v(none) - sum_{p in S_i} phi_p)^2
///
/// weights     one per coalition: the kernel's when coalitions were enumerated, 1 when they were
///             drawn with the kernel's probabilities. >= 0.
/// returns     n; exact when every coalition is listed with its kernel weight
/// edges       one player: phi = v(all) - v(none)
/// throws      std::invalid_argument: shapes do not match, a value or weight is not finite, a
///             weight is negative
///             std::domain_error: the coalitions do not determine phi
///
/// Source: Lundberg & Lee, NeurIPS 2017, theorem 2; constraint as in Covert & Lee, AISTATS 2021.
Vector kernel_shap(const Coalitions& coalitions, const VectorRef& values, const VectorRef& weights,
                   double v_none, double v_all);

}  // namespace conoscope::methods
