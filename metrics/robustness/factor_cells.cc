// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/factor_cells.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

/// Ranks of keys in 0 ... range-1 among those that occur; keys become ranks.
Index rank_dense(IndexVector& keys, Index range) {
  IndexVector rank(static_cast<std::size_t>(range), -1);
  for (const Index key : keys) rank[static_cast<std::size_t>(key)] = 0;
  Index next = 0;
  for (Index& entry : rank)
    if (entry == 0) entry = next++;
  for (Index& key : keys) key = rank[static_cast<std::size_t>(key)];
  return next;
}

Index rank_sparse(IndexVector& keys) {
  IndexVector distinct = keys;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (Index& key : keys)
    key = std::lower_bound(distinct.begin(), distinct.end(), key) - distinct.begin();
  return static_cast<Index>(distinct.size());
}

}  // namespace

Grouping group_by(const std::vector<std::vector<std::int32_t>>& levels,
                  const std::vector<std::vector<double>>& values, Index members,
                  const IndexVector& chosen) {
  Grouping out{IndexVector(static_cast<std::size_t>(members), 0), 1};
  for (const Index factor : chosen) {
    // Groups so far times one factor's values: never more than members^2, whatever the number of
    // factors, so the key cannot overflow.
    const auto& level = levels[static_cast<std::size_t>(factor)];
    const auto extent = static_cast<Index>(values[static_cast<std::size_t>(factor)].size());
    if (extent == 1) continue;
    for (std::size_t i = 0; i < out.group.size(); ++i)
      out.group[i] = out.group[i] * extent + level[i];
    const Index range = out.groups * extent;
    out.groups = range <= std::max<Index>(4 * members, 65536) ? rank_dense(out.group, range)
                                                              : rank_sparse(out.group);
  }
  return out;
}

FactorCells factor_cells(const MatrixRef& codes, const MatrixRef& factors) {
  constexpr const char* kName = "factor_cells";
  if (codes.rows() < 1 || codes.cols() < 1 || factors.cols() < 1 || codes.rows() != factors.rows())
    numerics::refuse(kName, "codes is " + numerics::shape_of(codes) + " and factors " +
                                numerics::shape_of(factors) +
                                "; needs one row per sample in both, and columns");
  numerics::require_finite(kName, "codes", codes);
  const FactorLevels levels = factor_levels(kName, factors);
  IndexVector all(static_cast<std::size_t>(levels.factors()));
  std::iota(all.begin(), all.end(), Index{0});
  const Grouping cell = group_by(levels.levels, levels.values, codes.rows(), all);

  FactorCells out;
  out.samples = codes.rows();
  out.values = levels.values;
  out.origin = codes.row(0);
  out.count = Vector::Zero(cell.groups);
  out.centred_mean = Matrix::Zero(cell.groups, codes.cols());
  out.levels.assign(out.values.size(),
                    std::vector<std::int32_t>(static_cast<std::size_t>(cell.groups)));
  for (Index i = 0; i < codes.rows(); ++i) {
    const Index c = cell.group[static_cast<std::size_t>(i)];
    if (out.count[c] == 0.0)
      for (std::size_t k = 0; k < out.values.size(); ++k)
        out.levels[k][static_cast<std::size_t>(c)] = levels.levels[k][static_cast<std::size_t>(i)];
    out.count[c] += 1.0;
    out.centred_mean.row(c) += codes.row(i) - out.origin;
  }
  out.centred_mean.array().colwise() /= out.count.array();
  out.constant.resize(static_cast<std::size_t>(codes.cols()));
  for (Index l = 0; l < codes.cols(); ++l)
    out.constant[static_cast<std::size_t>(l)] = (codes.col(l).array() == codes(0, l)).all();
  return out;
}

}  // namespace conoscope::metrics
