// SPDX-License-Identifier: Apache-2.0
#include "metrics/factors/codes_and_factors.h"

#include "numerics/checks.h"

namespace conoscope::metrics {

constexpr const char* kName = "codes and factors";

CodesAndFactors::CodesAndFactors(const MatrixRef& z, const MatrixRef& g,
                                 const std::string& codes_name, const std::string& factors_name)
    : codes(z), factors(g) {
  if (codes.rows() < 1 || codes.cols() < 1 || factors.cols() < 1 || codes.rows() != factors.rows())
    numerics::refuse(kName, codes_name + " is " + numerics::shape_of(codes) + " and " +
                                factors_name + " " + numerics::shape_of(factors) +
                                "; needs one row per sample in both, and columns");
  numerics::require_finite(kName, codes_name, codes);
  numerics::require_finite(kName, factors_name, factors);
}

TrainAndTest::TrainAndTest(const MatrixRef& train_codes, const MatrixRef& train_factors,
                           const MatrixRef& test_codes, const MatrixRef& test_factors)
    : train(train_codes, train_factors, "train_codes", "train_factors"),
      test(test_codes, test_factors, "test_codes", "test_factors") {
  if (train_codes.cols() != test_codes.cols() || train_factors.cols() != test_factors.cols())
    numerics::refuse(kName, "test_codes and test_factors need the columns of the training ones");
}

}  // namespace conoscope::metrics
