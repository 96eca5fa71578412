// SPDX-License-Identifier: Apache-2.0
#pragma once

// Explanations for the tests of measures over seeds, with a head that is always the same.

#include "metrics/peer_metric.h"
#include "tests/support/normals.h"

namespace conoscope::tests {

using metrics::CellExplanation;
using metrics::Index;
using metrics::IndexVector;
using metrics::Matrix;
using metrics::Peers;
using metrics::Vector;

inline Matrix normal_matrix(Index rows, Index cols, std::uint64_t seed) {
  return testing::normals(rows, cols, numerics::Random(seed));
}

/// Class-specific: `counts` CAVs for each output.
inline CellExplanation found(const Matrix& cavs, const Vector& importance,
                             const IndexVector& counts) {
  CellExplanation out;
  out.weight = Matrix::Ones(static_cast<Index>(counts.size()), cavs.cols());
  out.bias = Vector::Zero(static_cast<Index>(counts.size()));
  out.explanation.cavs = cavs;
  out.explanation.importance = importance;
  out.explanation.offset = {0};
  for (const Index count : counts)
    out.explanation.offset.push_back(out.explanation.offset.back() + count);
  return out;
}

/// Class-agnostic: `importance` is outputs x CAVs.
inline CellExplanation shared(const Matrix& cavs, const Matrix& importance) {
  CellExplanation out;
  out.weight = Matrix::Ones(importance.rows(), cavs.cols());
  out.bias = Vector::Zero(importance.rows());
  out.explanation.cavs = cavs;
  out.explanation.class_agnostic = true;
  out.explanation.importance_by_output = importance;
  return out;
}

}  // namespace conoscope::tests
