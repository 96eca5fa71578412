// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/nicher.h"

#include <algorithm>
#include <string>

#include "metrics/alignment/concept_alignment.h"
#include "metrics/purity/concept_labels.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Matrix concept_nicher(const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                      bool signed_correlation) {
  constexpr const char* kName = "concept_nicher";
  if (concepts.rows() < 2 || concepts.cols() < 1)
    numerics::refuse(kName,
                     "concepts is " + numerics::shape_of(concepts) + "; n >= 2 samples are needed");
  detail::require_representations(kName, c_hat, width, concepts.rows());
  numerics::require_finite(kName, "concepts", concepts);
  const Matrix correlation = concept_correlations(c_hat, concepts);
  Matrix nicher(c_hat.cols() / width, concepts.cols());
  for (Index i = 0; i < nicher.rows(); ++i)
    for (Index j = 0; j < nicher.cols(); ++j) {
      const auto features = correlation.col(j).segment(i * width, width);
      nicher(i, j) = std::clamp(
          signed_correlation ? features.maxCoeff() : features.cwiseAbs().maxCoeff(), -1.0, 1.0);
    }
  return nicher;
}

}  // namespace conoscope::metrics
