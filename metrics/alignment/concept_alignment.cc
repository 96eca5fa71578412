#include "metrics/alignment/concept_alignment.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/maximum_weighted_matching.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

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
  using Weight = boost::property<boost::edge_weight_t, std::int64_t>;
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                      boost::no_property, Weight>;
  const auto rows = static_cast<std::size_t>(purity.rows());
  const auto cols = static_cast<std::size_t>(purity.cols());
  const double low = purity.minCoeff(), range = purity.maxCoeff() - low;
  // Whole numbers: the search compares sums for equality. The base makes any matching of all
  // columns outweigh any that leaves one out.
  constexpr double kUnits = 0x1.0p40;
  const auto base = static_cast<std::int64_t>(kUnits) * static_cast<std::int64_t>(cols + 1);
  Graph graph(rows + cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const double share =
          range > 0.0 ? (purity(static_cast<Index>(i), static_cast<Index>(j)) - low) / range : 0.0;
      boost::add_edge(i, rows + j, Weight(base + std::llround(share * kUnits)), graph);
    }
  std::vector<Graph::vertex_descriptor> mate(rows + cols);
  boost::maximum_weighted_matching(graph, mate.data());
  IndexVector row_of;
  for (std::size_t j = 0; j < cols; ++j) row_of.push_back(static_cast<Index>(mate[rows + j]));
  return row_of;
}

Matrix aligned_rows(const MatrixRef& purity, const IndexVector& alignment) {
  Matrix out(static_cast<Index>(alignment.size()), purity.cols());
  for (std::size_t j = 0; j < alignment.size(); ++j)
    out.row(static_cast<Index>(j)) = purity.row(alignment[j]);
  return out;
}

}  // namespace conoscope::metrics
