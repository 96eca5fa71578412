// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"

namespace conoscope::testing {

/// The interval that each entry of a hand-made representation of five binary concepts is drawn
/// from.
///
/// Pure: [0.95, 1) where the concept is present, [0, 0.05) where it is not. Impure: one of sixteen
/// parts of that interval, chosen by the other four concepts, the first of them counting most.
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, Table 1 and its notebook.
struct Intervals {
  metrics::Matrix low, high;
};

inline Intervals table1_intervals(const metrics::MatrixRef& concepts, bool pure) {
  constexpr double kWidth = 0.05, kParts = 16.0;
  Intervals out{metrics::Matrix(concepts.rows(), concepts.cols()),
                metrics::Matrix(concepts.rows(), concepts.cols())};
  for (metrics::Index i = 0; i < concepts.rows(); ++i)
    for (metrics::Index j = 0; j < concepts.cols(); ++j) {
      const double base = concepts(i, j) == 1.0 ? 0.95 : 0.0;
      double bin = 0.0;
      for (metrics::Index other = 0; other < concepts.cols(); ++other)
        if (other != j) bin = 2.0 * bin + concepts(i, other);
      out.low(i, j) = pure ? base : base + bin * kWidth / kParts;
      out.high(i, j) = pure ? base + kWidth : base + (bin + 1.0) * kWidth / kParts;
    }
  return out;
}

}  // namespace conoscope::testing
