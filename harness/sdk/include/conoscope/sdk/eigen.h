// SPDX-License-Identifier: Apache-2.0
#pragma once

// Eigen on this side of the border only: a plugin that wants it includes this header and finds
// Eigen itself. No Eigen object ever crosses, so each side may use its own version and flags.

#include <Eigen/Core>

#include "conoscope/sdk/tensor.h"

namespace conoscope::sdk {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A copy in double with the first `split` axes as rows and the rest as columns: n x P x D becomes
/// n x (P*D) with split 1, (n*P) x D with split 2. Any dtype, any strides.
inline Matrix to_matrix(const Tensor& tensor, int split = 1) {
  Eigen::Index rows = 1, cols = 1;
  for (int axis = 0; axis < tensor.dimensions(); ++axis)
    (axis < split ? rows : cols) *= tensor.shape(axis);
  Matrix out(rows, cols);
  tensor.for_each([&out](std::int64_t i, double value) { out.data()[i] = value; });
  return out;
}

/// The numbers of a span as a matrix, in place.
inline Eigen::Map<Matrix> as_matrix(std::span<double> values, Eigen::Index rows,
                                    Eigen::Index cols) {
  if (static_cast<Eigen::Index>(values.size()) != rows * cols)
    throw std::invalid_argument("as_matrix: " + std::to_string(values.size()) + " values for " +
                                std::to_string(rows) + " x " + std::to_string(cols));
  return {values.data(), rows, cols};
}

}  // namespace conoscope::sdk
