// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/wilcoxon_signed_rank.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/statistics/distributions.h"
#include "numerics/statistics/mid_ranks.h"
#include "numerics/statistics/sample_checks.h"

namespace conoscope::numerics {

namespace {

constexpr Index kExactUpTo = 50;

/// P(W' <= w) and P(W' >= w) by counting sign patterns; ranks are doubled, so that mid-ranks are
/// whole.
double exact_p(const Vector& ranks, double w) {
  std::vector<double> share{1.0};  // of the patterns, by doubled rank sum
  for (const double rank : ranks) {
    const auto step = static_cast<std::size_t>(std::lround(2.0 * rank));
    std::vector<double> next(share.size() + step, 0.0);
    for (std::size_t s = 0; s < share.size(); ++s) {
      next[s] += 0.5 * share[s];
      next[s + step] += 0.5 * share[s];
    }
    share = std::move(next);
  }
  const auto at = static_cast<std::size_t>(std::lround(2.0 * w));
  double below = 0.0, above = 0.0;
  for (std::size_t s = 0; s < share.size(); ++s) {
    if (s <= at) below += share[s];
    if (s >= at) above += share[s];
  }
  return std::min(1.0, 2.0 * std::min(below, above));
}

double normal_p(const Vector& ranks, double w) {
  const auto n = static_cast<double>(ranks.size());
  // Sum of squared mid-ranks over 4: the variance, with its correction for ties.
  const double sd = std::sqrt(ranks.squaredNorm() / 4.0);
  const double distance = std::abs(w - n * (n + 1.0) / 4.0);
  return std::min(1.0, 2.0 * normal_upper_tail(std::max(0.0, distance - 0.5) / sd));
}

}  // namespace

WilcoxonSignedRank wilcoxon_signed_rank(const VectorRef& a, const VectorRef& b) {
  require_pairs("wilcoxon_signed_rank", a, b, 1);
  std::vector<double> kept;
  for (Index i = 0; i < a.size(); ++i)
    if (a(i) != b(i)) kept.push_back(a(i) - b(i));
  WilcoxonSignedRank result;
  result.used = static_cast<Index>(kept.size());
  if (kept.empty()) return result;
  const Eigen::Map<const Vector> differences(kept.data(), result.used);
  const Vector sizes = differences.cwiseAbs();
  const Vector ranks = mid_ranks(sizes);
  for (Index i = 0; i < result.used; ++i)
    if (differences(i) > 0.0) result.w += ranks(i);
  result.exact = result.used <= kExactUpTo;
  result.p = result.exact ? exact_p(ranks, result.w) : normal_p(ranks, result.w);
  return result;
}

}  // namespace conoscope::numerics
