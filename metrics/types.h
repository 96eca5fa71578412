// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "numerics/row_source.h"
#include "numerics/types.h"

namespace conoscope::metrics {

using numerics::Index;
using numerics::IndexVector;
using numerics::Matrix;
using numerics::MatrixF;
using numerics::MatrixRef;
using numerics::MatrixRefF;
using numerics::RowSource;
using numerics::Vector;
using numerics::VectorRef;

/// One number of one metric, or why there is none: never NaN, never a 0 that stands for "unknown".
struct Score {
  std::string name;           ///< the catalogue's name, as surf_mae
  double value = 0.0;         ///< meaningful only where reason is empty
  std::string reason;         ///< empty, or: undefined, not_applicable, nan, posinf, neginf, error
  std::string message;        ///< what was undefined, in words; may be empty
  std::vector<double> parts;  ///< per-sample, per-concept or per-pair values; may be empty
};

}  // namespace conoscope::metrics
