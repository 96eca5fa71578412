#include "numerics/checks.h"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace conoscope::numerics {
namespace {

template <typename Ref>
void require_finite_matrix(std::string_view function, std::string_view argument,
                           const Ref& matrix) {
  for (Index row = 0; row < matrix.rows(); ++row) {
    const auto values = matrix.row(row);
    if (all_finite(values)) continue;
    for (Index col = 0; col < matrix.cols(); ++col) {
      if (std::isfinite(values(col))) continue;
      std::ostringstream text;
      text << argument << " is " << values(col) << " at row " << row << ", column " << col
           << "; every entry must be finite";
      refuse(function, text.str());
    }
  }
}

template <typename T>
void check(const std::string& function, const std::string& argument, const RowMajorRef<T>& x,
           bool negatives) {
  if (x.rows() < 1 || x.cols() < 1)
    throw std::invalid_argument(function + ": " + argument + " is empty (" +
                                std::to_string(x.rows()) + " x " + std::to_string(x.cols()) + ")");
  for (Index i = 0; i < x.rows(); ++i) {
    // One vectorised look per row; only an offending row is searched entry by entry.
    if (x.row(i).allFinite() && !(negatives && x.row(i).minCoeff() < T(0))) continue;
    for (Index j = 0; j < x.cols(); ++j) {
      const bool finite = std::isfinite(x(i, j));
      if (finite && !(negatives && x(i, j) < T(0))) continue;
      std::ostringstream message;
      message << function << ": " << argument << " has "
              << (finite ? "a negative entry " : "an entry that is not finite, ") << x(i, j)
              << ", at row " << i << ", column " << j;
      throw std::invalid_argument(message.str());
    }
  }
}

}  // namespace

void refuse(std::string_view function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

void require_finite(std::string_view function, std::string_view argument, const MatrixRef& matrix) {
  require_finite_matrix(function, argument, matrix);
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

void check_finite(const std::string& function, const std::string& argument, const MatrixRef& x) {
  check<double>(function, argument, x, false);
}

void check_finite(const std::string& function, const std::string& argument, const MatrixRefF& x) {
  check<float>(function, argument, x, false);
}

void check_non_negative(const std::string& function, const std::string& argument,
                        const MatrixRef& x) {
  check<double>(function, argument, x, true);
}

void check_non_negative(const std::string& function, const std::string& argument,
                        const MatrixRefF& x) {
  check<float>(function, argument, x, true);
}

void check_weight(const std::string& function, const std::string& argument, double value) {
  if (std::isfinite(value) && value >= 0.0) return;
  std::ostringstream message;
  message << function << ": " << argument << " = " << value << " must be a finite number >= 0";
  throw std::invalid_argument(message.str());
}

void check_at_least(const std::string& function, const std::string& argument, Index value,
                    Index least) {
  if (value >= least) return;
  throw std::invalid_argument(function + ": " + argument + " = " + std::to_string(value) +
                              " must be at least " + std::to_string(least));
}

}  // namespace conoscope::numerics
