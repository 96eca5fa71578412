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

void require_train_and_test(std::string_view metric, const MatrixRef& train_codes,
                            const MatrixRef& train_factors, const MatrixRef& test_codes,
                            const MatrixRef& test_factors) {
  require_codes_and_factors(metric, train_codes, train_factors, "train_codes", "train_factors");
  require_codes_and_factors(metric, test_codes, test_factors, "test_codes", "test_factors");
  if (train_codes.cols() != test_codes.cols() || train_factors.cols() != test_factors.cols())
    numerics::refuse(metric,
                     "test_codes and test_factors need as many columns as the training ones");
}

}  // namespace conoscope::metrics::detail
