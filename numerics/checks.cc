// SPDX-License-Identifier: Apache-2.0
#include "numerics/checks.h"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace conoscope::numerics {
namespace {

template <typename Ref>
void require_finite_matrix(std::string_view function, std::string_view argument, const Ref& matrix,
                           Index first_row = 0) {
  for (Index row = 0; row < matrix.rows(); ++row) {
    const auto values = matrix.row(row);
    if (all_finite(values)) continue;
    for (Index col = 0; col < matrix.cols(); ++col) {
      if (std::isfinite(values(col))) continue;
      std::ostringstream text;
      text << argument << " is " << values(col) << " at row " << first_row + row << ", column "
           << col << "; every entry must be finite";
      refuse(function, text.str());
    }
  }
}

template <typename Ref>
void require_filled_matrix(std::string_view function, std::string_view argument,
                           const Ref& matrix) {
  if (matrix.rows() < 1 || matrix.cols() < 1)
    refuse(function, std::string(argument) + " is empty (" + shape_of(matrix) + ")");
  require_finite_matrix(function, argument, matrix);
}

template <typename Ref>
void require_non_negative_matrix(std::string_view function, std::string_view argument,
                                 const Ref& matrix) {
  require_filled_matrix(function, argument, matrix);
  for (Index row = 0; row < matrix.rows(); ++row) {
    Index col = 0;
    if (matrix.row(row).minCoeff(&col) >= 0) continue;
    std::ostringstream text;
    text << argument << " has a negative entry " << matrix(row, col) << ", at row " << row
         << ", column " << col;
    refuse(function, text.str());
  }
}

}  // namespace

void refuse(std::string_view function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

void require_finite(std::string_view function, std::string_view argument, const MatrixRef& matrix,
                    Index first_row) {
  require_finite_matrix(function, argument, matrix, first_row);
}

void require_finite(std::string_view function, std::string_view argument,
                    const MatrixRefF& matrix) {
  require_finite_matrix(function, argument, matrix);
}

void require_finite_vector(std::string_view function, std::string_view argument,
                           const VectorRef& vector) {
  for (Index i = 0; i < vector.size(); ++i) {
    if (std::isfinite(vector(i))) continue;
    std::ostringstream text;
    text << argument << " is " << vector(i) << " at entry " << i << "; every entry must be finite";
    refuse(function, text.str());
  }
}

void require_labels(std::string_view function, const IndexVector& labels, Index samples,
                    Index classes) {
  if (static_cast<Index>(labels.size()) != samples)
    refuse(function,
           std::to_string(labels.size()) + " labels for " + std::to_string(samples) + " samples");
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 || labels[i] >= classes)
      refuse(function, "label " + std::to_string(labels[i]) + " of sample " + std::to_string(i) +
                           " is outside 0 ... " + std::to_string(classes - 1));
}

void require_filled(std::string_view function, std::string_view argument, const MatrixRef& matrix) {
  require_filled_matrix(function, argument, matrix);
}

void require_filled(std::string_view function, std::string_view argument,
                    const MatrixRefF& matrix) {
  require_filled_matrix(function, argument, matrix);
}

void require_non_negative(std::string_view function, std::string_view argument,
                          const MatrixRef& matrix) {
  require_non_negative_matrix(function, argument, matrix);
}

void require_non_negative(std::string_view function, std::string_view argument,
                          const MatrixRefF& matrix) {
  require_non_negative_matrix(function, argument, matrix);
}

void require_weight(std::string_view function, std::string_view argument, double value) {
  if (std::isfinite(value) && value >= 0.0) return;
  std::ostringstream text;
  text << argument << " = " << value << " must be a finite number >= 0";
  refuse(function, text.str());
}

void require_at_least(std::string_view function, std::string_view argument, Index value,
                      Index least) {
  if (value >= least) return;
  refuse(function, std::string(argument) + " = " + std::to_string(value) + " must be at least " +
                       std::to_string(least));
}

}  // namespace conoscope::numerics
