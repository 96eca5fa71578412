// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/interventional_effects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "metrics/robustness/mean_do.h"
#include "numerics/checks.h"
#include "numerics/to_vector.h"

namespace conoscope::metrics {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2.0;
}

std::vector<std::vector<double>> split_by(const VectorRef& codes,
                                          const std::vector<std::int32_t>& level,
                                          std::size_t values) {
  std::vector<std::vector<double>> groups(values);
  for (Index i = 0; i < codes.size(); ++i)
    groups[static_cast<std::size_t>(level[static_cast<std::size_t>(i)])].push_back(codes[i]);
  return groups;
}

ParentCurve curve_of(const VectorRef& codes, const FactorLevels& levels, std::size_t parent) {
  ParentCurve out;
  out.values = levels.values[parent];
  const auto groups = split_by(codes, levels.levels[parent], out.values.size());
  const auto size = static_cast<Index>(groups.size());
  out.mean.resize(size);
  out.median.resize(size);
  out.standard_deviation.resize(size);
  out.samples.resize(size);
  for (Index v = 0; v < size; ++v) {
    const auto& group = groups[static_cast<std::size_t>(v)];
    const Vector z = numerics::to_vector(group);
    out.mean[v] = z.mean();
    out.median[v] = median(group);
    out.standard_deviation[v] = std::sqrt((z.array() - z.mean()).square().mean());
    out.samples[v] = static_cast<double>(group.size());
  }
  return out;
}

/// Means of one latent by (parent's value, other's value), with weights per cell; NaN: no cell.
Matrix weighted_means(const FactorCells& cells, Index latent, const Vector& weight,
                      std::size_t parent, std::size_t other) {
  const auto rows = static_cast<Index>(cells.values[parent].size());
  const auto cols = static_cast<Index>(cells.values[other].size());
  Matrix sum = Matrix::Zero(rows, cols), total = Matrix::Zero(rows, cols);
  for (Index c = 0; c < cells.cells(); ++c) {
    const auto at = static_cast<std::size_t>(c);
    const Index a = cells.levels[parent][at], b = cells.levels[other][at];
    sum(a, b) += weight[c] * cells.centred_mean(c, latent);
    total(a, b) += weight[c];
  }
  return (total.array() > 0.0)
      .select(sum.array() / total.array() + cells.origin[latent],
              Matrix::Constant(rows, cols, kNaN))
      .matrix();
}

/// n(g_\S) of every cell, S the factors `without`: its weight where S is intervened on.
Vector rest_counts(const FactorCells& cells, const IndexVector& without) {
  const Grouping rest = group_by(cells.levels, cells.values, cells.cells(),
                                 detail::complement(without, cells.factors()));
  Vector count = Vector::Zero(rest.groups), out(cells.cells());
  for (Index c = 0; c < cells.cells(); ++c)
    count[rest.group[static_cast<std::size_t>(c)]] += cells.count[c];
  for (Index c = 0; c < cells.cells(); ++c) out[c] = count[rest.group[static_cast<std::size_t>(c)]];
  return out;
}

}  // namespace

std::vector<LatentEffects> interventional_effects(const MatrixRef& codes, const MatrixRef& factors,
                                                  const IndexVector& parents) {
  constexpr const char* kName = "interventional_effects";
  if (static_cast<Index>(parents.size()) != codes.cols())
    numerics::refuse(kName, "parents has " + std::to_string(parents.size()) + " entries for " +
                                std::to_string(codes.cols()) + " latents");
  for (const Index parent : parents)
    if (parent < -1 || parent >= factors.cols())
      numerics::refuse(kName, "parents holds " + std::to_string(parent) + ", outside -1 ... " +
                                  std::to_string(factors.cols() - 1));
  const FactorCells cells = factor_cells(codes, factors);
  const FactorLevels levels = factor_levels(kName, factors);
  std::vector<LatentEffects> out;
  for (Index l = 0; l < codes.cols(); ++l) {
    const Index i = parents[static_cast<std::size_t>(l)];
    if (i < 0) continue;
    const auto parent = static_cast<std::size_t>(i);
    LatentEffects effects{l, i, curve_of(codes.col(l), levels, parent), {}};
    for (Index j = 0; j < factors.cols(); ++j) {
      if (j == i) continue;
      const auto other = static_cast<std::size_t>(j);
      EffectLines lines;
      lines.factor = j;
      lines.values = cells.values[other];
      lines.samples = Matrix::Zero(static_cast<Index>(cells.values[parent].size()),
                                   static_cast<Index>(lines.values.size()));
      for (Index c = 0; c < cells.cells(); ++c)
        lines.samples(cells.levels[parent][static_cast<std::size_t>(c)],
                      cells.levels[other][static_cast<std::size_t>(c)]) += cells.count[c];
      lines.conditional_mean = weighted_means(cells, l, cells.count, parent, other);
      // Within a fixed g_i*, p(rest | g_i*) is proportional to the count of (g_i*, rest).
      lines.given_parent = weighted_means(cells, l, rest_counts(cells, {j}), parent, other);
      lines.do_both = weighted_means(cells, l, rest_counts(cells, {i, j}), parent, other);
      effects.lines.push_back(std::move(lines));
    }
    out.push_back(std::move(effects));
  }
  return out;
}

std::vector<Violin> violins(const VectorRef& codes, const VectorRef& factor, Index points) {
  constexpr const char* kName = "violins";
  if (codes.size() != factor.size() || codes.size() < 1)
    numerics::refuse(kName, "codes has " + std::to_string(codes.size()) + " entries and factor " +
                                std::to_string(factor.size()) + "; needs as many, at least 1");
  if (points < 2)
    numerics::refuse(kName, "points is " + std::to_string(points) + "; needs at least 2");
  numerics::require_finite_vector(kName, "codes", codes);
  const Matrix column = factor;
  const FactorLevels levels = factor_levels(kName, column);
  const auto groups = split_by(codes, levels.levels[0], levels.values[0].size());
  std::vector<Violin> out;
  for (std::size_t v = 0; v < groups.size(); ++v) {
    const Vector z = numerics::to_vector(groups[v]);
    Violin violin;
    violin.value = levels.values[0][v];
    const double low = z.minCoeff(), high = z.maxCoeff();
    if (low == high) {
      violin.position = Vector::Constant(1, low);
      out.push_back(std::move(violin));
      continue;
    }
    const auto n = static_cast<double>(z.size());
    const double spread = std::sqrt((z.array() - z.mean()).square().sum() / (n - 1.0));
    const double h = std::pow(n, -0.2) * spread;
    violin.position = Vector::LinSpaced(points, low, high);
    violin.density.resize(points);
    for (Index p = 0; p < points; ++p)
      violin.density[p] = (-0.5 * ((violin.position[p] - z.array()) / h).square()).exp().sum() /
                          (n * h * std::sqrt(2.0 * std::numbers::pi));
    out.push_back(std::move(violin));
  }
  return out;
}

}  // namespace conoscope::metrics
