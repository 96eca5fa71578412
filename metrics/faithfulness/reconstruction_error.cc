#include "metrics/faithfulness/reconstruction_error.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/psi.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

double reconstruction_error(const MatrixRef& rows, const Explanation& explanation) {
  constexpr const char* kName = "reconstruction_error";
  detail::require_explanation(kName, explanation);
  if (rows.rows() < 1 || rows.cols() < 1 ||
      (explanation.linear() && explanation.cavs.rows() > 0 &&
       explanation.cavs.cols() != rows.cols()))
    numerics::refuse(kName, "rows is " + std::to_string(rows.rows()) + " x " +
                                std::to_string(rows.cols()) + ", the CAVs have width " +
                                std::to_string(explanation.cavs.cols()));
  numerics::require_finite(kName, "rows", rows);
  const double all = rows.squaredNorm();
  if (all == 0.0) throw std::domain_error("reconstruction_error: every row is 0");
  const Index passes = explanation.class_agnostic ? 1 : detail::explained_outputs(explanation);
  double lost = 0.0;
  for (Index c = 0; c < passes; ++c) {
    const Matrix scores = detail::project(kName, explanation, c, rows);
    lost += (detail::reconstruct(kName, explanation, c, scores, rows.cols()) - rows).squaredNorm();
  }
  return lost / static_cast<double>(passes) / all;
}

}  // namespace conoscope::metrics
