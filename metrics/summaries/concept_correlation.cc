// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/concept_correlation.h"

#include <algorithm>

#include "metrics/summaries/shown_items.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostConcepts = 16;

/// NaN where a column is constant.
Matrix correlations(const MatrixRef& of) {
  const Eigen::RowVectorXd mean = of.colwise().mean();
  const Matrix centred = of.rowwise() - mean;
  const Matrix products = centred.transpose() * centred;
  Matrix out(of.cols(), of.cols());
  for (Index i = 0; i < of.cols(); ++i)
    for (Index j = 0; j < of.cols(); ++j) {
      const bool constant =
          (of.col(i).array() == of(0, i)).all() || (of.col(j).array() == of(0, j)).all();
      const double r = constant ? 0.0 : products(i, j) / std::sqrt(products(i, i) * products(j, j));
      out(i, j) = constant ? kNoNumber : std::clamp(r, -1.0, 1.0);
    }
  return out;
}

SummaryTable pairs(const Subject& subject) {
  const Matrix& all = scalar_scores("concept_correlation", subject);
  const Index shown = std::min(all.cols(), kMostConcepts);
  const Matrix ours = correlations(all.leftCols(shown));
  const Matrix* const truth = truth_of(subject);
  const Matrix theirs =
      truth ? correlations(truth->leftCols(shown)) : Matrix::Constant(shown, shown, kNoNumber);
  SummaryTable out{{}, shown_of(shown, all.cols(), "concepts")};
  for (Index i = 0; i < shown; ++i)
    for (Index j = 0; j < shown; ++j)
      out.add({static_cast<double>(i), static_cast<double>(j), ours(i, j), theirs(i, j)});
  return out;
}

}  // namespace

Summary declare::concept_correlation() {
  return {.name = "concept_correlation",
          .question = "How do the representations of concepts correlate with each other?",
          .source = "Espinosa Zarlenga et al., AAAI 2023, Fig. 1",
          .needs = {"concept_view"},
          .uses = {"concepts"},
          .columns = {"concept", "other", "correlation", "truth"},
          .compute = pairs};
}

}  // namespace conoscope::metrics
