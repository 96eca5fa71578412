// SPDX-License-Identifier: Apache-2.0
#include "metrics/alignment/concept_alignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

/// Columns centred and scaled to length 1; a constant one becomes 0.
Matrix standardised(const MatrixRef& columns) {
  Matrix out = columns.rowwise() - columns.colwise().mean();
  for (Index j = 0; j < out.cols(); ++j) {
    const double length = out.col(j).norm();
    // Equality, not length: the rounding of the mean leaves a constant column a little length.
    if ((columns.col(j).array() == columns(0, j)).all() || length == 0.0)
      out.col(j).setZero();
    else
      out.col(j) /= length;
  }
  return out;
}

void require_purity(const char* function, const MatrixRef& purity) {
  if (purity.cols() < 1 || purity.rows() < purity.cols())
    numerics::refuse(function,
                     "purity is " + numerics::shape_of(purity) +
                         "; there must be as many rows as columns, or more, and a column");
  numerics::require_finite(function, "purity", purity);
}

}  // namespace

Matrix concept_correlations(const MatrixRef& scores, const MatrixRef& truth) {
  return standardised(scores).transpose() * standardised(truth);
}

IndexVector greedy_alignment(const MatrixRef& purity) {
  require_purity("greedy_alignment", purity);
  const Index rows = purity.rows(), cols = purity.cols();
  IndexVector order(static_cast<std::size_t>(rows * cols));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return purity(a / cols, a % cols) > purity(b / cols, b % cols);
  });
  IndexVector row_of(static_cast<std::size_t>(cols), -1);
  std::vector<bool> used(static_cast<std::size_t>(rows), false);
  for (const Index entry : order) {
    const auto row = static_cast<std::size_t>(entry / cols);
    Index& choice = row_of[static_cast<std::size_t>(entry % cols)];
    if (used[row] || choice >= 0) continue;
    choice = entry / cols;
    used[row] = true;
  }
  return row_of;
}

IndexVector optimal_alignment(const MatrixRef& purity) {
  require_purity("optimal_alignment", purity);
  const Matrix cost = -purity.transpose();  // what is chosen for a column is searched along a row
  const Index cols = cost.rows(), rows = cost.cols();
  // Prices with cost(j, i) >= of_col[j] + of_row[i], and equality where row i is column j's.
  Vector of_col = Vector::Zero(cols), of_row = Vector::Zero(rows);
  IndexVector row_of(static_cast<std::size_t>(cols), -1), col_of(static_cast<std::size_t>(rows));
  std::fill(col_of.begin(), col_of.end(), -1);
  for (Index start = 0; start < cols; ++start) {
    // The cheapest way to a free row: Dijkstra's search, columns give up their rows on the way.
    Vector distance = Vector::Constant(rows, std::numeric_limits<double>::infinity());
    IndexVector from(static_cast<std::size_t>(rows), -1), passed;
    std::vector<bool> settled(static_cast<std::size_t>(rows), false);
    Index col = start, nearest = -1;
    double so_far = 0.0;
    for (;;) {
      nearest = -1;
      for (Index i = 0; i < rows; ++i) {
        if (settled[static_cast<std::size_t>(i)]) continue;
        const double through = so_far + cost(col, i) - of_col[col] - of_row[i];
        if (through < distance[i]) {
          distance[i] = through;
          from[static_cast<std::size_t>(i)] = col;
        }
        if (nearest < 0 || distance[i] < distance[nearest]) nearest = i;
      }
      so_far = distance[nearest];
      col = col_of[static_cast<std::size_t>(nearest)];
      if (col < 0) break;
      settled[static_cast<std::size_t>(nearest)] = true;
      passed.push_back(nearest);
    }
    of_col[start] += so_far;
    for (const Index i : passed) {
      of_col[col_of[static_cast<std::size_t>(i)]] += so_far - distance[i];
      of_row[i] -= so_far - distance[i];
    }
    for (Index row = nearest; row >= 0;) {
      const Index taker = from[static_cast<std::size_t>(row)];
      col_of[static_cast<std::size_t>(row)] = taker;
      std::swap(row_of[static_cast<std::size_t>(taker)], row);  // the start had none: -1
    }
  }
  return row_of;
}

Matrix aligned_rows(const MatrixRef& purity, const IndexVector& alignment) {
  Matrix out(static_cast<Index>(alignment.size()), purity.cols());
  for (std::size_t j = 0; j < alignment.size(); ++j)
    out.row(static_cast<Index>(j)) = purity.row(alignment[j]);
  return out;
}

}  // namespace conoscope::metrics
