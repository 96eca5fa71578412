// SPDX-License-Identifier: Apache-2.0
#include "datasets/superposition/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "numerics/checks.h"
#include "numerics/statistics/distributions.h"
#include "numerics/whole_blocks.h"

namespace conoscope::datasets::superposition {

using numerics::refuse;
using numerics::shape_of;

namespace {

void require_size(const char* function, const char* argument, Index size, Index wanted) {
  if (size != wanted)
    refuse(function, std::string(argument) + " has " + std::to_string(size) +
                         " entries, expected " + std::to_string(wanted));
}

/// Above which a standard normal lies with probability q.
double threshold(double q) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (q == 0.0) return kInfinity;
  if (q == 1.0) return -kInfinity;
  return numerics::normal_quantile(1.0 - q);
}

}  // namespace

Vector bound_factor(Matrix& factor, double limit) {
  numerics::require_filled("bound_factor", "factor", factor);
  if (!(limit > 0.0 && limit < 1.0))
    refuse("bound_factor", "limit = " + std::to_string(limit) + ", expected above 0, below 1");
  const double largest = factor.rowwise().squaredNorm().maxCoeff();
  if (largest >= 1.0) factor *= std::sqrt(limit / largest);
  return 1.0 - factor.rowwise().squaredNorm().array();
}

Fired fires(const MatrixRef& factor, const VectorRef& own, const VectorRef& q,
            const MatrixRef& common, const MatrixRef& noise) {
  const Index n = factor.rows();
  require_size("fires", "own", own.size(), n);
  require_size("fires", "q", q.size(), n);
  if (common.cols() != factor.cols() || noise.cols() != n || noise.rows() != common.rows())
    refuse("fires", "common is " + shape_of(common) + " and noise " + shape_of(noise) +
                        " for a factor of " + shape_of(factor));
  Vector scale(n), least(n);
  for (Index i = 0; i < n; ++i) {
    if (!(own[i] >= 0.0))
      refuse("fires", "own[" + std::to_string(i) + "] is " + std::to_string(own[i]));
    if (!(q[i] >= 0.0 && q[i] <= 1.0))
      refuse("fires", "q[" + std::to_string(i) + "] is " + std::to_string(q[i]) +
                          ", expected a rate from 0 to 1");
    scale[i] = std::sqrt(own[i]);
    least[i] = threshold(q[i]);
  }
  // A row the same bits wherever it stands in its block.
  const Matrix shared = numerics::product_by_whole_blocks<double>(common, factor);
  Fired out(noise.rows(), n);
  for (Index row = 0; row < noise.rows(); ++row)
    for (Index i = 0; i < n; ++i)
      out(row, i) = shared(row, i) + scale[i] * noise(row, i) > least[i] ? 1 : 0;
  return out;
}

Matrix magnitudes(const Fired& fired, const VectorRef& mean, const VectorRef& sd,
                  const std::function<double(Index row, Index feature)>& noise) {
  require_size("magnitudes", "mean", mean.size(), fired.cols());
  require_size("magnitudes", "sd", sd.size(), fired.cols());
  for (Index i = 0; i < sd.size(); ++i)
    if (!(sd[i] >= 0.0))
      refuse("magnitudes", "sd[" + std::to_string(i) + "] is " + std::to_string(sd[i]));
  Matrix out = Matrix::Zero(fired.rows(), fired.cols());
  for (Index row = 0; row < fired.rows(); ++row)
    for (Index i = 0; i < fired.cols(); ++i)
      if (fired(row, i) != 0) out(row, i) = std::max(0.0, mean[i] + sd[i] * noise(row, i));
  return out;
}

void gate(Matrix& a, const Forest& forest, const VectorRef& mean, const Gating& gating,
          const std::function<double(Index row, Index parent)>& pick) {
  require_size("gate", "parent", static_cast<Index>(forest.parent.size()), a.cols());
  require_size("gate", "level", static_cast<Index>(forest.level.size()), a.cols());
  require_size("gate", "mean", mean.size(), a.cols());
  const auto children = children_of(forest.parent);
  IndexVector parents;
  for (Index i = 0; i < a.cols(); ++i) {
    if (children[static_cast<std::size_t>(i)].empty()) continue;
    if (!(mean[i] > 0.0))
      refuse("gate", "mean[" + std::to_string(i) + "] is " + std::to_string(mean[i]) +
                         ", but it has children");
    parents.push_back(i);
  }
  std::ranges::stable_sort(parents, {},
                           [&](Index i) { return forest.level[static_cast<std::size_t>(i)]; });
  IndexVector active;
  for (Index row = 0; row < a.rows(); ++row)
    for (const Index parent : parents) {
      const double above = a(row, parent);
      const double factor =
          gating.scale_children ? above / mean[parent] : (above > 0.0 ? 1.0 : 0.0);
      active.clear();
      for (const Index child : children[static_cast<std::size_t>(parent)]) {
        a(row, child) *= factor;
        if (a(row, child) > 0.0) active.push_back(child);
      }
      if (!gating.exclusive || active.size() < 2) continue;
      const auto winner =
          static_cast<std::size_t>(pick(row, parent) * static_cast<double>(active.size()));
      for (std::size_t m = 0; m < active.size(); ++m)
        if (m != winner) a(row, active[m]) = 0.0;
    }
}

}  // namespace conoscope::datasets::superposition
