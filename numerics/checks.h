// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "numerics/types.h"

namespace conoscope::numerics {

// What nearly every function asks of its arguments. Each throws std::invalid_argument with the
// function's name, the argument and what was seen: row, column and value.

[[noreturn]] void refuse(std::string_view function, const std::string& what);

/// `3 x 8`, of whatever has rows and columns.
template <typename Matrix>
std::string shape_of(const Matrix& matrix) {
  return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

/// Vectorised, unlike Eigen's allFinite(): x * 0 is 0 for a finite x and NaN for any other.
template <typename Derived>
bool all_finite(const Eigen::DenseBase<Derived>& values) {
  using Scalar = typename Derived::Scalar;
  return (values.derived().array() * Scalar(0)).sum() == Scalar(0);
}

/// No NaN and no infinity; names the first offender. An empty array is fine.
///
/// first_row  what the first row is called, where the matrix is a block of a larger one
void require_finite(std::string_view function, std::string_view argument, const MatrixRef& matrix,
                    Index first_row = 0);
void require_finite(std::string_view function, std::string_view argument, const MatrixRefF& matrix);
void require_finite_vector(std::string_view function, std::string_view argument,
                           const VectorRef& vector);

/// One class per sample, each in 0 ... classes-1.
void require_labels(std::string_view function, const IndexVector& labels, Index samples,
                    Index classes);

/// As require_finite, and at least one row and one column.
void require_filled(std::string_view function, std::string_view argument, const MatrixRef& matrix);
void require_filled(std::string_view function, std::string_view argument, const MatrixRefF& matrix);

/// As require_filled, and no entry negative.
void require_non_negative(std::string_view function, std::string_view argument,
                          const MatrixRef& matrix);
void require_non_negative(std::string_view function, std::string_view argument,
                          const MatrixRefF& matrix);

/// A finite number >= 0.
void require_weight(std::string_view function, std::string_view argument, double value);

void require_at_least(std::string_view function, std::string_view argument, Index value,
                      Index least);

}  // namespace conoscope::numerics
