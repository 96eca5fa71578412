// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/embedding_components.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "metrics/summaries/shown_items.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostConcepts = 6, kMostSamples = 200;

SummaryTable components(const Subject& subject) {
  const ConceptView& view = subject.concepts();
  if (view.width < 2) throw NotApplicable("concepts are numbers, not embeddings");
  numerics::require_finite("embedding_components", "scores", view.scores);
  const Matrix* const truth = truth_of(subject);
  const Index concepts = view.scores.cols() / view.width, shown = std::min(concepts, kMostConcepts);
  const IndexVector samples = evenly(view.scores.rows(), kMostSamples);
  SummaryTable out{{}, shown_of(shown, concepts, "concepts")};
  for (Index j = 0; j < shown; ++j) {
    const auto vectors = view.scores.middleCols(j * view.width, view.width);
    const Eigen::RowVectorXd mean = vectors.colwise().mean();
    const Matrix centred = vectors.rowwise() - mean;
    const Eigen::MatrixXd covariance =
        centred.transpose() * centred / static_cast<double>(std::max<Index>(centred.rows(), 1));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);  // ascending
    Eigen::MatrixXd axes = solver.eigenvectors().rightCols(2).rowwise().reverse();
    for (Index a = 0; a < 2; ++a) {
      Index largest = 0;
      axes.col(a).cwiseAbs().maxCoeff(&largest);
      if (axes(largest, a) < 0.0) axes.col(a) *= -1.0;
    }
    for (const Index i : samples) {
      const Eigen::RowVector2d at = centred.row(i) * axes;
      out.add({static_cast<double>(j), static_cast<double>(i), truth ? (*truth)(i, j) : kNoNumber,
               label_of(subject, i), at[0], at[1]});
    }
  }
  return out;
}

}  // namespace

Summary declare::embedding_components() {
  return {.name = "embedding_components",
          .question =
              "What structure do the embeddings of a concept have in the two directions in which "
              "they vary most?",
          .source =
              "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025, "
              "Figs. 9, 11, 21 and 22",
          .needs = {"concept_view"},
          .uses = {"concepts", "labels"},
          .columns = {"concept", "sample", "truth", "label", "first", "second"},
          .compute = components};
}

}  // namespace conoscope::metrics
