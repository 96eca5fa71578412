// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metrics/types.h"

namespace conoscope::metrics {

/// The codes and the generative factors of the same samples, finite: that it exists is the proof, so
/// nobody who takes one looks again. A view: both must outlive it.
struct CodesAndFactors {
  /// codes    Z, n x K'.   factors  G, n x K.
  /// throws   std::invalid_argument, by the names given: no rows, no columns, differing numbers of
  ///          rows, an entry not finite
  CodesAndFactors(const MatrixRef& z, const MatrixRef& g, const std::string& codes_name = "codes",
                  const std::string& factors_name = "factors");

  const MatrixRef codes, factors;
};

/// Two of them, of the same codes and factors.
struct TrainAndTest {
  TrainAndTest(const MatrixRef& train_codes, const MatrixRef& train_factors,
               const MatrixRef& test_codes, const MatrixRef& test_factors);

  const CodesAndFactors train, test;
};

}  // namespace conoscope::metrics
