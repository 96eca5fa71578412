#include "metrics/disentanglement/sample_pair.h"

#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics::detail {

void require_codes_and_factors(std::string_view metric, const MatrixRef& codes,
                               const MatrixRef& factors, const std::string& codes_name,
                               const std::string& factors_name) {
  if (codes.rows() < 1 || codes.cols() < 1 || factors.cols() < 1 || codes.rows() != factors.rows())
    numerics::refuse(metric, codes_name + " is " + std::to_string(codes.rows()) + " x " +
                                 std::to_string(codes.cols()) + " and " + factors_name + " " +
                                 std::to_string(factors.rows()) + " x " +
                                 std::to_string(factors.cols()) +
                                 "; needs one row per sample in both, and columns");
  numerics::require_finite(metric, codes_name, codes);
  numerics::require_finite(metric, factors_name, factors);
}

}  // namespace conoscope::metrics::detail
