// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/posthoc_cbm/sparse_head.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>

#include "numerics/checks.h"
#include "numerics/softmax.h"

namespace conoscope::models {

namespace {

using numerics::Index;
using numerics::Matrix;

constexpr char kName[] = "sparse_head";
constexpr double kTolerance = 1e-7;

/// Largest eigenvalue of X'X / n, with a column of ones beside X.
double largest_moment(const Matrix& rows) {
  const Matrix moments = rows.transpose() * rows / static_cast<double>(rows.rows());
  return Eigen::SelfAdjointEigenSolver<Matrix>(moments, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .maxCoeff();
}

Matrix probabilities(Matrix logits, bool one_vs_rest) {
  if (!one_vs_rest) return numerics::softmax(std::move(logits));
  return (1.0 + (-logits.array()).exp()).inverse();
}

}  // namespace

Matrix SparseHead::answer(const numerics::MatrixRef& scores) const {
  return (scores.lazyProduct(weight.transpose())).rowwise() + bias.transpose();
}

SparseHead sparse_head(const numerics::MatrixRef& scores, const numerics::MatrixRef& targets,
                       const SparseHeadOptions& options) {
  numerics::require_filled(kName, "scores", scores);
  numerics::require_filled(kName, "targets", targets);
  if (targets.rows() != scores.rows())
    numerics::refuse(kName, "targets is " + numerics::shape_of(targets) + ", scores is " +
                                numerics::shape_of(scores));
  numerics::require_weight(kName, "penalty", options.penalty);
  if (!(options.l1_share >= 0.0 && options.l1_share <= 1.0))
    numerics::refuse(kName,
                     "l1_share is " + std::to_string(options.l1_share) + ", expected 0 ... 1");
  numerics::require_at_least(kName, "steps", options.steps, 1);
  const Index k = scores.cols();
  Matrix rows(scores.rows(), k + 1);
  rows << scores, Matrix::Ones(scores.rows(), 1);
  const double l1 = options.penalty * options.l1_share, l2 = options.penalty - l1;
  // The Hessian of softmax is at most 1/2, that of a logistic loss 1/4.
  const double rate = 1.0 / ((options.one_vs_rest ? 0.25 : 0.5) * largest_moment(rows) + l2);

  Matrix at = Matrix::Zero(targets.cols(), k + 1), ahead = at;  // the last column is the bias
  double momentum = 1.0;
  for (Index step = 0; step < options.steps; ++step) {
    Matrix gradient =
        (probabilities(rows * ahead.transpose(), options.one_vs_rest) - targets).transpose() *
        rows / static_cast<double>(rows.rows());
    gradient.leftCols(k) += l2 * ahead.leftCols(k);
    Matrix next = ahead - rate * gradient;
    auto weight = next.leftCols(k).array();
    weight = weight.sign() * (weight.abs() - rate * l1).max(0.0);
    const Matrix moved = next - at;
    const bool uphill = ((ahead - next).array() * moved.array()).sum() > 0.0;
    const double before = momentum;
    momentum = uphill ? 1.0 : (1.0 + std::sqrt(1.0 + 4.0 * before * before)) / 2.0;
    const double apart = (next - ahead).cwiseAbs().maxCoeff();
    ahead = uphill ? next : Matrix(next + (before - 1.0) / momentum * moved);
    at = std::move(next);
    if (apart <= kTolerance * std::max(1.0, at.cwiseAbs().maxCoeff())) break;
  }
  return {at.leftCols(k), at.col(k)};
}

}  // namespace conoscope::models
