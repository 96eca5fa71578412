// SPDX-License-Identifier: Apache-2.0
#include "numerics/spectral.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "numerics/checks.h"

namespace conoscope::numerics {
namespace {

constexpr Index kDenseRows = 512;
constexpr int kFilterDegree = 20;
constexpr int kWiden = 50;  // filters after which twice as many vectors are followed
constexpr double kResidual = 1e-8;

void check_square(const std::string& function, const SparseMatrix& matrix) {
  if (matrix.rows() < 1 || matrix.rows() != matrix.cols())
    throw std::invalid_argument(function + ": the matrix is " + shape_of(matrix) +
                                ", expected N x N");
  for (Index row = 0; row < matrix.outerSize(); ++row)
    for (SparseMatrix::InnerIterator it(matrix, row); it; ++it)
      if (!std::isfinite(it.value()))
        throw std::invalid_argument(function + ": entry " + std::to_string(row) + ", " +
                                    std::to_string(it.col()) + " is not finite");
}

void check_affinity(const SparseMatrix& affinity) {
  check_square("spectral_embedding", affinity);
  for (Index row = 0; row < affinity.outerSize(); ++row)
    for (SparseMatrix::InnerIterator it(affinity, row); it; ++it)
      if (it.value() < 0.0)
        throw std::invalid_argument("spectral_embedding: affinity " + std::to_string(row) + ", " +
                                    std::to_string(it.col()) + " is " + std::to_string(it.value()));
  const SparseMatrix turned = affinity.transpose();
  const double largest = affinity.nonZeros() > 0 ? affinity.coeffs().maxCoeff() : 0.0;
  const SparseMatrix difference = affinity - turned;
  if (difference.nonZeros() > 0 && difference.coeffs().abs().maxCoeff() > 1e-12 * largest)
    throw std::invalid_argument("spectral_embedding: the affinity is not symmetric");
}

SparseMatrix normalised(const SparseMatrix& affinity) {
  Vector scale(affinity.rows());
  for (Index row = 0; row < affinity.rows(); ++row) {
    double degree = 0.0;
    for (SparseMatrix::InnerIterator it(affinity, row); it; ++it) degree += it.value();
    scale[row] = degree > 0.0 ? 1.0 / std::sqrt(degree) : 0.0;
  }
  return scale.asDiagonal() * affinity * scale.asDiagonal();
}

Matrix orthonormal(const Matrix& x) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(x);
  return qr.householderQ() * Eigen::MatrixXd::Identity(x.rows(), x.cols());
}

/// x under the Chebyshev polynomial that is at most 1 on [-1, cut] and grows beyond.
Matrix filtered(const SparseMatrix& m, const Matrix& x, double cut) {
  const double half = 0.5 * (cut + 1.0), middle = 0.5 * (cut - 1.0);
  Matrix before = x, now = (m * x - middle * x) / half;
  for (int degree = 2; degree <= kFilterDegree; ++degree) {
    Matrix next = (2.0 / half) * (m * now - middle * now) - before;
    before.swap(now);
    now.swap(next);
  }
  return now;
}

Matrix normal_matrix(Index rows, Index cols, Random& random) {
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
  return out;
}

void by_subspace_iteration(const SparseMatrix& m, Index count, Seed seed, int most_filters,
                           SpectralEmbedding& out) {
  Index side = std::min(m.rows(), count + std::max<Index>(count, 10));
  Random random{seed};
  Matrix x = orthonormal(normal_matrix(m.rows(), side, random));
  double cut = 0.0;
  for (int filter = 0; filter < most_filters; ++filter) {
    // More eigenvalues near the leading ones than columns: the filter cannot tell them apart.
    if (filter > 0 && filter % kWiden == 0 && 2 * side <= m.rows()) {
      Matrix wider(m.rows(), 2 * side);
      wider << x, normal_matrix(m.rows(), side, random);
      x = orthonormal(wider);
      side *= 2;
    }
    x = orthonormal(filtered(m, x, cut));
    const Matrix image = m * x;
    const Eigen::MatrixXd small = x.transpose() * image;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(0.5 * (small + small.transpose()));
    const Eigen::MatrixXd turn = ritz.eigenvectors().rowwise().reverse();
    const Vector values = ritz.eigenvalues().reverse();
    x = x * turn;
    out.eigenvalues = values.head(count);
    out.residual = ((image * turn).leftCols(count) -
                    x.leftCols(count) * out.eigenvalues.asDiagonal().toDenseMatrix())
                       .colwise()
                       .norm()
                       .maxCoeff();
    if (out.residual <= kResidual) break;
    cut = std::max(-0.5, values[side - 1]);
  }
  out.vectors = x.leftCols(count);
  out.converged = out.residual <= kResidual;
}

}  // namespace

SparseMatrix affinity_of(const SparseMatrix& coefficients) {
  check_square("affinity_of", coefficients);
  SparseMatrix scaled = coefficients.cwiseAbs();
  for (Index row = 0; row < scaled.outerSize(); ++row) {
    double squares = 0.0;
    for (SparseMatrix::InnerIterator it(scaled, row); it; ++it) squares += it.value() * it.value();
    if (squares > 0.0)
      for (SparseMatrix::InnerIterator it(scaled, row); it; ++it)
        it.valueRef() /= std::sqrt(squares);
  }
  const SparseMatrix turned = scaled.transpose();
  return 0.5 * (scaled + turned);
}

SpectralEmbedding spectral_embedding(const SparseMatrix& affinity, Index count, Seed seed,
                                     int most_filters) {
  check_affinity(affinity);
  if (count < 1 || count > affinity.rows())
    throw std::invalid_argument("spectral_embedding: " + std::to_string(count) +
                                " vectors of a matrix of " + std::to_string(affinity.rows()) +
                                " rows");
  const SparseMatrix m = normalised(affinity);
  SpectralEmbedding out;
  if (m.rows() > kDenseRows) {
    by_subspace_iteration(m, count, seed, most_filters, out);
    return out;
  }
  const Eigen::MatrixXd dense = m;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense);
  if (solver.info() != Eigen::Success)
    throw std::domain_error("spectral_embedding: the eigenvalues did not converge");
  out.eigenvalues = solver.eigenvalues().reverse().head(count);
  out.vectors = solver.eigenvectors().rowwise().reverse().leftCols(count);
  out.residual = (dense * out.vectors - out.vectors * out.eigenvalues.asDiagonal().toDenseMatrix())
                     .colwise()
                     .norm()
                     .maxCoeff();
  out.converged = out.residual <= kResidual;
  return out;
}

std::vector<Index> spectral_clustering(const SparseMatrix& affinity, Index clusters, Seed seed,
                                       int most_filters) {
  SpectralEmbedding embedding =
      spectral_embedding(affinity, clusters, seed.child("vectors"), most_filters);
  if (!embedding.converged) {
    std::ostringstream text;
    text << "spectral_clustering: the eigenvectors did not converge: " << embedding.residual
         << " off, " << kResidual << " allowed";
    throw std::domain_error(text.str());
  }
  Matrix rows = std::move(embedding.vectors);
  for (auto row : rows.rowwise())
    if (const double norm = row.norm(); norm > 0.0) row /= norm;
  return kmeans(rows, clusters, seed.child("kmeans"), {.n_init = 20}).labels;
}

}  // namespace conoscope::numerics
