// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/fired_positions.h"

#include <algorithm>
#include <cmath>

#include "metrics/summaries/summary.h"

namespace conoscope::metrics {

namespace {

/// Means over the areas of a grid of `cells` x `cells`.
Matrix reduced(const MatrixRef& of, Index cells) {
  const auto from = [cells](Index at, Index size) { return at * size / cells; };
  const auto to = [cells](Index at, Index size) {
    return std::max(at * size / cells + 1, ((at + 1) * size + cells - 1) / cells);
  };
  Matrix out(cells, cells);
  for (Index r = 0; r < cells; ++r)
    for (Index c = 0; c < cells; ++c) {
      const Index top = from(r, of.rows()), left = from(c, of.cols());
      out(r, c) = of.block(top, left, to(r, of.rows()) - top, to(c, of.cols()) - left).mean();
    }
  return out;
}

}  // namespace

std::vector<std::string> position_columns() {
  std::vector<std::string> out;
  for (Index r = 0; r < kPositionRows; ++r) out.push_back("row_" + std::to_string(r));
  return out;
}

Matrix fired_positions(const ExplainedHead& of, Index output, Index concept_of_output,
                       Index sample) {
  const HeadView& head = of.head();
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(head.positions))));
  if (head.positions < 2 || side * side != head.positions || of.flatten()) return {};
  const Matrix rows = numerics::rows_of_samples(head.activations, head.positions, {sample});
  const Matrix fired = of.project(output, rows).col(concept_of_output);
  return reduced(Eigen::Map<const Matrix>(fired.data(), side, side), std::min(side, kPositionRows));
}

std::vector<double> packed_positions(const MatrixRef& grid, double most) {
  std::vector<double> out(static_cast<std::size_t>(kPositionRows), kNoNumber);
  for (Index r = 0; r < grid.rows(); ++r) {
    double packed = 0.0;
    for (Index c = grid.cols(); c-- > 0;) {
      const double share = most > 0.0 ? std::clamp(grid(r, c) / most, 0.0, 1.0) : 0.0;
      packed = packed * 64.0 + std::round(63.0 * share);
    }
    out[static_cast<std::size_t>(r)] = packed;
  }
  return out;
}

}  // namespace conoscope::metrics
