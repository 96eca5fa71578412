// SPDX-License-Identifier: Apache-2.0
#include "metrics/factors/factor_levels.h"

#include <algorithm>
#include <cmath>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

void rank_column(const std::vector<double>& column, std::vector<double>& values,
                 std::vector<std::int32_t>& levels) {
  const auto [low_at, high_at] = std::minmax_element(column.begin(), column.end());
  const double low = *low_at, span = *high_at - low;
  const auto limit = static_cast<double>(std::max<std::size_t>(1024, column.size()));
  levels.resize(column.size());
  bool small_integers = span < limit && low == std::floor(low);
  for (std::size_t i = 0; small_integers && i < column.size(); ++i)
    small_integers = column[i] == std::floor(column[i]);
  if (small_integers) {
    std::vector<std::int32_t> rank(static_cast<std::size_t>(span) + 1, -1);
    for (const double value : column) rank[static_cast<std::size_t>(value - low)] = 0;
    for (std::size_t i = 0; i < rank.size(); ++i)
      if (rank[i] == 0) {
        rank[i] = static_cast<std::int32_t>(values.size());
        values.push_back(low + static_cast<double>(i));
      }
    for (std::size_t i = 0; i < column.size(); ++i)
      levels[i] = rank[static_cast<std::size_t>(column[i] - low)];
    return;
  }
  values = column;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (std::size_t i = 0; i < column.size(); ++i)
    levels[i] = static_cast<std::int32_t>(
        std::lower_bound(values.begin(), values.end(), column[i]) - values.begin());
}

}  // namespace

FactorLevels factor_levels(std::string_view metric, const MatrixRef& factors) {
  if (factors.rows() < 1 || factors.cols() < 1)
    numerics::refuse(metric, "factors is " + numerics::shape_of(factors) + "; needs n, K >= 1");
  numerics::require_finite(metric, "factors", factors);
  FactorLevels out;
  out.samples = factors.rows();
  const auto k = static_cast<std::size_t>(factors.cols());
  out.values.resize(k);
  out.levels.resize(k);
  std::vector<double> column(static_cast<std::size_t>(factors.rows()));
  for (std::size_t j = 0; j < k; ++j) {
    for (Index i = 0; i < factors.rows(); ++i)
      column[static_cast<std::size_t>(i)] = factors(i, static_cast<Index>(j));
    rank_column(column, out.values[j], out.levels[j]);
  }
  return out;
}

}  // namespace conoscope::metrics
