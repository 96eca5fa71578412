// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/select_k.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "numerics/statistics/moments.h"
#include "results/boards/estimate.h"

namespace conoscope::results {

namespace {

constexpr double kShareOfRange = 0.01;
constexpr double kRounding = 1e-9;  // of the range: less is no difference

double mean_at(const ScoresAtK& point) { return estimate_of(point.values(), point.asked).mean; }

bool varies_by_seed(const ScoresAtK& point) {
  const double first = point.by_seed.begin()->second;
  return std::any_of(point.by_seed.begin(), point.by_seed.end(),
                     [first](const auto& entry) { return entry.second != first; });
}

/// How much better the best one is, seed by seed, where both have a number.
std::vector<double> paired_differences(const ScoresAtK& best, const ScoresAtK& other, double sign) {
  std::vector<double> out;
  for (const auto& [seed, value] : best.by_seed)
    if (const auto found = other.by_seed.find(seed); found != other.by_seed.end())
      out.push_back(sign * (value - found->second));
  return out;
}

bool within_standard_error(const ScoresAtK& best, const ScoresAtK& other, double sign) {
  const auto differences = paired_differences(best, other, sign);
  if (differences.size() >= 2)
    return estimate_of(differences, 0).mean <= numerics::standard_error(differences);
  return sign * (mean_at(best) - mean_at(other)) <= numerics::standard_error(best.values());
}

}  // namespace

std::vector<double> ScoresAtK::values() const {
  std::vector<double> out;
  for (const auto& [seed, value] : by_seed) out.push_back(value);
  return out;
}

Estimate ScoresAtK::estimate() const { return estimate_of(values(), asked); }

std::optional<Selection> select_k(std::span<const ScoresAtK> sweep, bool higher_is_better) {
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    if (i > 0 && sweep[i].k <= sweep[i - 1].k)
      throw std::invalid_argument("select_k: k is not ascending at " + std::to_string(sweep[i].k));
    if (static_cast<std::int64_t>(sweep[i].by_seed.size()) > sweep[i].asked)
      throw std::invalid_argument("select_k: more scores than asked at k = " +
                                  std::to_string(sweep[i].k));
  }
  std::vector<std::size_t> complete;
  for (std::size_t i = 0; i < sweep.size(); ++i)
    if (sweep[i].complete()) complete.push_back(i);
  if (complete.empty()) return std::nullopt;

  const double sign = higher_is_better ? 1.0 : -1.0;
  std::size_t best = complete.front(), worst = best;
  bool varies = false;
  for (const std::size_t i : complete) {
    if (sign * mean_at(sweep[i]) > sign * mean_at(sweep[best])) best = i;
    if (sign * mean_at(sweep[i]) < sign * mean_at(sweep[worst])) worst = i;
    varies = varies || varies_by_seed(sweep[i]);
  }
  const double range = std::abs(mean_at(sweep[best]) - mean_at(sweep[worst]));
  const auto behind = [&](std::size_t i) {
    return std::abs(mean_at(sweep[best]) - mean_at(sweep[i]));
  };
  best = *std::find_if(complete.begin(), complete.end(),
                       [&](std::size_t i) { return behind(i) <= kRounding * range; });
  Selection out{best, best, SelectionRule::kStandardError};
  if (!varies || sweep[best].by_seed.size() < 2) out.rule = SelectionRule::kRange;
  for (const std::size_t i : complete) {
    if (i >= best) break;
    const bool as_good = out.rule == SelectionRule::kRange
                             ? behind(i) <= kShareOfRange * range
                             : within_standard_error(sweep[best], sweep[i], sign);
    if (!as_good) continue;
    out.chosen = i;
    break;
  }
  return out;
}

}  // namespace conoscope::results
