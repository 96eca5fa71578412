// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "results/formats/table.h"

namespace conoscope::results {

/// What one number of concepts scored, seed by seed.
struct ScoresAtK {
  std::int64_t k = 0;
  std::map<std::int64_t, double> by_seed;  ///< finite; a seed without a number is not there
  std::int64_t asked = 0;                  ///< seeds asked for

  /// Only such a K may be chosen: a mean over fewer seeds could be the luckier one.
  bool complete() const { return asked > 0 && static_cast<std::int64_t>(by_seed.size()) == asked; }
  std::vector<double> values() const;  ///< in the order of the seeds
  Estimate estimate() const;
};

/// How "as good as the best" was told.
enum class SelectionRule {
  kStandardError,  ///< within one standard error
  kRange           ///< within 1 % of the range of the means: nothing is known of the spread
};

struct Selection {
  std::size_t chosen = 0, best = 0;  ///< positions in the sweep
  SelectionRule rule = SelectionRule::kStandardError;
};

/// At how many concepts does a score stop improving?
///
///   range   largest - smallest mean over seeds, of all complete Ks
///   best    the K of the best mean; of means equal up to rounding (1e-9 range) the smallest K
///   chosen  the smallest K that is as good as the best one:
///             d_s = score(best, s) - score(K, s), sign turned where lower is better
///             mean(d) <= sd(d) / sqrt(n)       over the n seeds that both have, n >= 2;
///           fewer seeds in common:
///             |mean(best) - mean(K)| <= standard error of the best mean over its own seeds;
///           spread unknown, because the best K has one seed, or because all seeds gave the same
///           at every K (a method without randomness):
///             |mean(best) - mean(K)| <= 0.01 range
///
/// sweep    ascending in k. An incomplete K is passed over: never chosen, never best.
/// returns  none: no K is complete
/// throws   std::invalid_argument: k not ascending, or more scores than asked
///
/// Source: the one-standard-error rule of Breiman, Friedman, Olshen & Stone, Classification and
/// Regression Trees, 1984, 3.4.3, there with the best one's own error. Pairing is ours: seeds share
/// splits and models, so their common part of the spread says nothing about the difference.
std::optional<Selection> select_k(std::span<const ScoresAtK> sweep, bool higher_is_better);

}  // namespace conoscope::results
