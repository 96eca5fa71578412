// SPDX-License-Identifier: Apache-2.0
#include "datasets/superposition/head.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"

namespace conoscope::datasets::superposition {

using numerics::refuse;

std::vector<IndexVector> class_features(const VectorRef& rates, Index classes, Index per_class,
                                        numerics::Seed seed) {
  numerics::require_at_least("class_features", "classes", classes, 2);
  numerics::require_at_least("class_features", "per_class", per_class, 1);
  if (classes * per_class > rates.size())
    refuse("class_features", std::to_string(classes) + " classes of " + std::to_string(per_class) +
                                 " features, but there are only " + std::to_string(rates.size()));
  IndexVector order(static_cast<std::size_t>(rates.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater<>(), [&rates](Index i) { return rates[i]; });
  std::vector<IndexVector> out(static_cast<std::size_t>(classes));
  numerics::Random random(seed);
  for (Index k = 0; k < per_class; ++k) {
    const auto first = order.begin() + k * classes;
    IndexVector band(first, first + classes);
    random.shuffle(band);
    for (std::size_t c = 0; c < out.size(); ++c) out[c].push_back(band[c]);
  }
  return out;
}

Matrix class_scores(const MatrixRef& a, const std::vector<IndexVector>& sets,
                    const MatrixRef& weights) {
  if (weights.rows() != static_cast<Index>(sets.size()))
    refuse("class_scores", std::to_string(sets.size()) + " classes, but weights are " +
                               numerics::shape_of(weights));
  Matrix out = Matrix::Zero(a.rows(), weights.rows());
  for (Index c = 0; c < weights.rows(); ++c) {
    const IndexVector& own = sets[static_cast<std::size_t>(c)];
    if (static_cast<Index>(own.size()) != weights.cols())
      refuse("class_scores", "class " + std::to_string(c) + " has " + std::to_string(own.size()) +
                                 " features, but weights are " + numerics::shape_of(weights));
    for (Index k = 0; k < weights.cols(); ++k) {
      const Index feature = own[static_cast<std::size_t>(k)];
      if (feature < 0 || feature >= a.cols())
        refuse("class_scores", "feature " + std::to_string(feature) + " of class " +
                                   std::to_string(c) + ", but there are " +
                                   std::to_string(a.cols()));
      out.col(c) += weights(c, k) * a.col(feature);
    }
  }
  return out;
}

Standard Standard::of(const MatrixRef& scores) {
  numerics::require_filled("Standard::of", "scores", scores);
  Standard out;
  out.mean = scores.colwise().mean().transpose();
  out.sd.resize(scores.cols());
  for (Index c = 0; c < scores.cols(); ++c) {
    out.sd[c] = std::sqrt((scores.col(c).array() - out.mean[c]).square().mean());
    if (out.sd[c] == 0.0)
      throw std::domain_error("superposition: the features of class " + std::to_string(c) +
                              " are the same in all training rows");
  }
  return out;
}

Matrix Standard::apply(const MatrixRef& scores) const {
  return ((scores.rowwise() - mean.transpose()).array().rowwise() / sd.transpose().array())
      .matrix();
}

IndexVector largest_of_rows(const MatrixRef& scores) {
  IndexVector out(static_cast<std::size_t>(scores.rows()));
  for (Index i = 0; i < scores.rows(); ++i)
    scores.row(i).maxCoeff(&out[static_cast<std::size_t>(i)]);
  return out;
}

LinearHead fit_head(const numerics::RowSource& x, const MatrixRef& scores, double ridge) {
  numerics::require_filled("fit_head", "scores", scores);
  numerics::require_weight("fit_head", "ridge", ridge);
  if (x.rows() != scores.rows())
    refuse("fit_head",
           "x has " + std::to_string(x.rows()) + " rows, scores " + std::to_string(scores.rows()));
  numerics::require_finite_rows("fit_head", "x", x, 1);
  const Index width = x.cols();
  Vector mean = Vector::Zero(width);
  numerics::for_each_block(
      x, 1, [&](Index, const Matrix& block) { mean += block.colwise().sum().transpose(); });
  mean /= static_cast<double>(x.rows());
  const Vector mean_score = scores.colwise().mean().transpose();
  Matrix gram = Matrix::Zero(width, width), cross = Matrix::Zero(width, scores.cols());
  numerics::for_each_block(x, 1, [&](Index first, const Matrix& block) {
    const Matrix centred = block.rowwise() - mean.transpose();
    gram.noalias() += centred.transpose() * centred;
    cross.noalias() += centred.transpose() *
                       (scores.middleRows(first, block.rows()).rowwise() - mean_score.transpose());
  });
  gram.diagonal().array() += ridge * gram.trace() / static_cast<double>(width);
  const Eigen::LLT<Eigen::MatrixXd> factored(gram);
  if (factored.info() != Eigen::Success)
    throw std::domain_error("fit_head: the rows of x do not determine a head; ridge = " +
                            std::to_string(ridge));
  LinearHead out;
  out.weight = factored.solve(Eigen::MatrixXd(cross)).transpose();
  out.bias = mean_score - out.weight * mean;
  return out;
}

}  // namespace conoscope::datasets::superposition
