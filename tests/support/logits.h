// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "metrics/types.h"
#include "tests/support/normals.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

inline metrics::Matrix normal_matrix(metrics::Index rows, metrics::Index cols, std::uint64_t seed) {
  return testing::normals(rows, cols, seed);
}

/// The rows in another order, the same one for every matrix of n rows.
inline metrics::Matrix reversed_rows(const metrics::Matrix& matrix) {
  return matrix.colwise().reverse();
}

/// What every measure of a pair of logits refuses.
template <typename Measure>
void check_refuses_bad_pairs(Measure measure, const std::string& name) {
  using metrics::Matrix;
  const Matrix good = Matrix::Ones(3, 2);
  CHECK_THROWS_SAYING(measure(Matrix(0, 2), Matrix(0, 2)), std::invalid_argument, "logits",
                      "0 x 2");
  CHECK_THROWS_SAYING(measure(Matrix(3, 0), Matrix(3, 0)), std::invalid_argument, "logits",
                      "3 x 0");
  CHECK_THROWS_SAYING(measure(good, Matrix::Ones(2, 2)), std::invalid_argument, name, "3 x 2",
                      "2 x 2");
  CHECK_THROWS_SAYING(measure(good, Matrix::Ones(3, 3)), std::invalid_argument, name, "3 x 3");
  Matrix bad = good;
  bad(2, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(measure(bad, good), std::invalid_argument, "logits", "nan", "row 2",
                      "column 1");
  bad(2, 1) = -std::numeric_limits<double>::infinity();
  CHECK_THROWS_SAYING(measure(good, bad), std::invalid_argument, "logits", "-inf", "row 2",
                      "column 1");
}

}  // namespace conoscope::tests
