// SPDX-License-Identifier: Apache-2.0
#include "numerics/subspace.h"

#include <Eigen/QR>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/whole_blocks.h"

namespace conoscope::numerics {

Matrix subspace_basis(const MatrixRef& rows, DimensionRule rule, double threshold,
                      Index max_dimension) {
  require_filled("subspace_basis", "rows", rows);
  require_at_least("subspace_basis", "max_dimension", max_dimension, 0);
  if (!(threshold > 0.0 && threshold < 1.0))
    throw std::invalid_argument("subspace_basis: threshold = " + std::to_string(threshold) +
                                " is outside (0, 1)");
  if (rows.rows() < 2) return Matrix(0, rows.cols());
  const TruncatedSvd pca = truncated_svd(rows, std::min(rows.rows(), rows.cols()), true);
  if (pca.singular_values[0] <= 16.0 * std::numeric_limits<double>::epsilon() * rows.norm())
    return Matrix(0, rows.cols());
  Index count = lpca_dimension(pca.explained_variance, rule, threshold);
  if (max_dimension > 0) count = std::min(count, max_dimension);
  return pca.components.topRows(count);
}

Matrix subspace_coefficients(const MatrixRef& rows, const MatrixRef& bases) {
  require_filled("subspace_coefficients", "rows", rows);
  if (rows.cols() != bases.cols())
    throw std::invalid_argument("subspace_coefficients: rows have " + std::to_string(rows.cols()) +
                                " columns, bases " + std::to_string(bases.cols()));
  if (bases.rows() == 0) return Matrix(rows.rows(), 0);
  require_filled("subspace_coefficients", "bases", bases);
  // C^T = Q R: the rows meet D dimensions in one product, and only K of them in the decomposition.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(bases.transpose());
  const Index side = std::min(bases.rows(), bases.cols());
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(bases.cols(), side);
  const Eigen::MatrixXd r = qr.matrixQR().topRows(side).triangularView<Eigen::Upper>();
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(r);
  const Matrix inside = product_by_whole_blocks<double>(rows, q.transpose());
  return by_whole_blocks(inside, [&](const Matrix& within) -> Matrix {
    return solver.solve(within.transpose()).transpose();
  });
}

SubspaceRelevance subspace_relevance(const MatrixRef& rows, const VectorRef& weight,
                                     const MatrixRef& bases, const std::vector<Index>& dimensions) {
  Index total = 0;
  for (const Index dimension : dimensions) {
    require_at_least("subspace_relevance", "dimension", dimension, 0);
    total += dimension;
  }
  if (total != bases.rows())
    throw std::invalid_argument("subspace_relevance: dimensions sum to " + std::to_string(total) +
                                ", bases has " + std::to_string(bases.rows()) + " rows");
  const Matrix w = weight.transpose();
  const Matrix own = subspace_coefficients(w, bases);  // also checks w and the widths
  const double norm = w.norm();
  if (norm == 0.0) throw std::domain_error("subspace_relevance: weight is 0");
  const Matrix coefficients = subspace_coefficients(rows, bases);
  const Vector along = bases * weight;  // <w, v>

  const auto count = static_cast<Index>(dimensions.size());
  SubspaceRelevance out;
  out.local.resize(rows.rows(), count + 1);
  out.global.resize(count + 1);
  Index first = 0;
  for (Index l = 0; l < count; ++l) {
    const Index dimension = dimensions[static_cast<std::size_t>(l)];
    out.local.col(l) = coefficients.middleCols(first, dimension) * along.segment(first, dimension);
    out.global[l] =
        (own.middleCols(first, dimension) * bases.middleRows(first, dimension)).norm() / norm;
    first += dimension;
  }
  const Matrix within = own * bases;
  out.local.col(count) = (rows - coefficients * bases) * weight;
  out.global[count] = (w - within).norm() / norm;
  out.completeness = within.norm() / norm;
  return out;
}

}  // namespace conoscope::numerics
