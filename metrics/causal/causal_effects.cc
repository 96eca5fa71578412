// SPDX-License-Identifier: Apache-2.0
#include "metrics/causal/causal_effects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "metrics/alignment/concept_alignment.h"
#include "metrics/faithfulness/concept_scores.h"
#include "metrics/robustness/mean_do.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "causal_effects";

/// The annotated concept that each column of scores goes with most.
IndexVector names(const MatrixRef& scores, const MatrixRef& concepts) {
  const Matrix correlation = concept_correlations(scores, concepts).cwiseAbs();
  IndexVector out(static_cast<std::size_t>(scores.cols()));
  for (Index k = 0; k < scores.cols(); ++k)
    correlation.row(k).maxCoeff(&out[static_cast<std::size_t>(k)]);
  return out;
}

}  // namespace

CausalEffects causal_effects(const MatrixRef& values, const MatrixRef& concepts) {
  const FactorCells cells = factor_cells(values, concepts);
  for (const auto& of_concept : cells.values)
    for (const double value : of_concept)
      if (value != 0.0 && value != 1.0)
        numerics::refuse(kName, "concepts holds " + std::to_string(value) + "; needs 0 or 1");
  CausalEffects out;
  out.effect.setConstant(concepts.cols(), values.cols(), std::numeric_limits<double>::quiet_NaN());
  for (Index j = 0; j < concepts.cols(); ++j) {
    if (cells.values[static_cast<std::size_t>(j)].size() < 2) continue;
    const InterventionalMeans means =
        detail::centred_mean_do(cells, {j}, InterventionWeights::kSelfNormalised);
    out.effect.row(j) = means.mean.row(1) - means.mean.row(0);  // values ascend: 0, then 1
    out.coverage = std::min(out.coverage, means.coverage.minCoeff());
  }
  return out;
}

Matrix claimed_effects(const ExplainedHead& of, const MatrixRef& concepts) {
  const Explanation& explanation = *of.explanation();
  const Matrix scores = concept_scores(of);
  const Matrix effect = causal_effects(scores, concepts).effect;
  const IndexVector name = names(scores, concepts);
  Matrix claim = Matrix::Zero(concepts.cols(), explanation.outputs());
  for (Index j = 0; j < claim.rows(); ++j)
    if (std::isnan(effect(j, 0))) claim.row(j).setConstant(effect(j, 0));
  for (Index c = 0; c < claim.cols(); ++c) {
    const Vector importance = of.explanation().importance(c);
    for (Index k = 0; k < importance.size(); ++k) {
      const Index column = explanation.first_row(c) + k;
      const Index j = name[static_cast<std::size_t>(column)];
      claim(j, c) += importance[k] * effect(j, column);
    }
  }
  return claim;
}

Matrix claimed_effects(const CheckedIntervention& problem) {
  Matrix claim(problem->concepts(), problem.untold().cols());
  for (Index j = 0; j < claim.rows(); ++j) {
    ToldConcepts concepts(*problem);
    const auto answers = [&](double presence) {
      for (Index i = 0; i < problem->samples(); ++i) concepts.tell(*problem, i, j, presence);
      return problem.answer(concepts);
    };
    const Matrix there = answers(1.0);
    claim.row(j) = (there - answers(0.0)).colwise().mean();
  }
  return claim;
}

}  // namespace conoscope::metrics
