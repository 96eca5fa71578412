#include "metrics/leakage/aligned_concepts.h"

#include <cmath>
#include <string>

#include "metrics/purity/concept_alignment.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

AlignedConcepts aligned_concepts(const MatrixRef& scores, const MatrixRef& truth) {
  constexpr const char* kName = "aligned_concepts";
  if (scores.rows() < 1 || scores.rows() != truth.rows() || truth.cols() < 1 ||
      scores.cols() < truth.cols())
    numerics::refuse(kName, "scores is " + std::to_string(scores.rows()) + " x " +
                                std::to_string(scores.cols()) + ", truth " +
                                std::to_string(truth.rows()) + " x " +
                                std::to_string(truth.cols()) +
                                "; they must be n x K' and n x k, 1 <= k <= K'");
  numerics::require_finite(kName, "scores", scores);
  numerics::require_finite(kName, "truth", truth);
  const auto centred = [](const MatrixRef& columns) {
    Matrix out = columns.rowwise() - columns.colwise().mean();
    for (Index j = 0; j < out.cols(); ++j) {
      const bool constant = columns.col(j).minCoeff() == columns.col(j).maxCoeff();
      const double norm = out.col(j).norm();
      if (constant || norm == 0.0)
        out.col(j).setZero();
      else
        out.col(j) /= norm;
    }
    return out;
  };
  const Matrix correlation = centred(scores).transpose() * centred(truth);
  AlignedConcepts out;
  out.alignment = optimal_alignment(correlation.cwiseAbs());
  out.view.scores.resize(scores.rows(), truth.cols());
  for (Index j = 0; j < truth.cols(); ++j) {
    const Index i = out.alignment[static_cast<size_t>(j)];
    out.view.scores.col(j) = correlation(i, j) < 0.0 ? Vector(-scores.col(i)) : scores.col(i);
  }
  return out;
}

}  // namespace conoscope::metrics
