#include "numerics/checks.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace conoscope::numerics {
namespace {

template <typename T>
void refuse(const std::string& function, const std::string& argument, const RowMajorRef<T>& x,
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

void check_finite(const std::string& function, const std::string& argument, const MatrixRef& x) {
  refuse<double>(function, argument, x, false);
}

void check_finite(const std::string& function, const std::string& argument, const MatrixRefF& x) {
  refuse<float>(function, argument, x, false);
}

void check_non_negative(const std::string& function, const std::string& argument,
                        const MatrixRef& x) {
  refuse<double>(function, argument, x, true);
}

void check_non_negative(const std::string& function, const std::string& argument,
                        const MatrixRefF& x) {
  refuse<float>(function, argument, x, true);
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
