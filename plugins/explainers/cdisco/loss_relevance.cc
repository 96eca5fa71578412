// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/cdisco/loss_relevance.h"

#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/softmax.h"

namespace conoscope::methods {
namespace {

void check_size(const std::string& function, const std::string& argument,
                const std::vector<Index>& indices, Index rows) {
  if (static_cast<Index>(indices.size()) != rows)
    throw std::invalid_argument(function + ": " + std::to_string(indices.size()) + " " + argument +
                                " for " + std::to_string(rows) + " rows");
}

}  // namespace

Matrix cross_entropy_gradient(const MatrixRef& logits, const std::vector<Index>& targets) {
  numerics::require_filled("cross_entropy_gradient", "logits", logits);
  check_size("cross_entropy_gradient", "targets", targets, logits.rows());
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (targets[i] < 0 || targets[i] >= logits.cols())
      throw std::invalid_argument("cross_entropy_gradient: the target of row " + std::to_string(i) +
                                  " is " + std::to_string(targets[i]) + ", expected 0 ... " +
                                  std::to_string(logits.cols() - 1));
  Matrix out = numerics::softmax(logits);
  for (Index i = 0; i < logits.rows(); ++i) out(i, targets[static_cast<std::size_t>(i)]) -= 1.0;
  return out;
}

Matrix rectified_relevance(const MatrixRef& activations, const MatrixRef& gradients,
                           Index positions) {
  numerics::require_filled("rectified_relevance", "activations", activations);
  numerics::require_filled("rectified_relevance", "gradients", gradients);
  numerics::require_at_least("rectified_relevance", "positions", positions, 1);
  if (activations.rows() != gradients.rows() || activations.cols() != gradients.cols())
    throw std::invalid_argument("rectified_relevance: activations and gradients differ in shape");
  if (activations.rows() % positions != 0)
    throw std::invalid_argument("rectified_relevance: " + std::to_string(activations.rows()) +
                                " rows are no multiple of " + std::to_string(positions) +
                                " positions");
  Matrix out(activations.rows() / positions, activations.cols());
  for (Index i = 0; i < out.rows(); ++i)
    out.row(i) = gradients.middleRows(i * positions, positions)
                     .cwiseMax(0.0)
                     .cwiseProduct(activations.middleRows(i * positions, positions))
                     .colwise()
                     .mean();
  return out;
}

Eigen::RowVectorXd z_score_of_group(const MatrixRef& x, const std::vector<Index>& groups,
                                    Index group) {
  numerics::require_filled("z_score_of_group", "x", x);
  check_size("z_score_of_group", "groups", groups, x.rows());
  std::vector<Index> inside, outside;
  for (Index i = 0; i < x.rows(); ++i)
    (groups[static_cast<std::size_t>(i)] == group ? inside : outside).push_back(i);
  if (inside.empty() || outside.empty())
    throw std::domain_error("z_score_of_group: group " + std::to_string(group) +
                            (inside.empty() ? " is empty" : " has no others"));
  const Matrix others = x(outside, Eigen::all);
  const Eigen::RowVectorXd mean = others.colwise().mean();
  const Eigen::RowVectorXd variance = (others.rowwise() - mean).array().square().colwise().sum() /
                                      static_cast<double>(others.rows());
  for (Index k = 0; k < x.cols(); ++k)
    if ((others.col(k).array() == others(0, k)).all())
      throw std::domain_error("z_score_of_group: the others of group " + std::to_string(group) +
                              " do not vary in column " + std::to_string(k));
  const Eigen::RowVectorXd mine = Matrix(x(inside, Eigen::all)).colwise().mean();
  return (mine - mean).array() / variance.array().sqrt();
}

}  // namespace conoscope::methods
