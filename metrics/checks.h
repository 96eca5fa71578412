#pragma once

#include <string_view>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

// What nearly every metric asks of its arguments. Each throws std::invalid_argument with the
// metric's name, the argument and what was seen.

/// Vectorised, unlike Eigen's allFinite(): x * 0 is 0 for a finite x and NaN for any other.
template <typename Derived>
bool all_finite(const Eigen::DenseBase<Derived>& values) {
  using Scalar = typename Derived::Scalar;
  return (values.derived().array() * Scalar(0)).sum() == Scalar(0);
}

/// No NaN and no infinity; names the first offender's row, column and value.
void require_finite(std::string_view metric, std::string_view argument, const MatrixRef& matrix);
void require_finite(std::string_view metric, std::string_view argument, const MatrixFRef& matrix);
void require_finite_vector(std::string_view metric, std::string_view argument,
                           const VectorRef& vector);

/// Both are n x C, n >= 1, C >= 1, all entries finite.
void require_logit_pair(std::string_view metric, const MatrixRef& model_logits,
                        const MatrixRef& surrogate_logits);

/// One class per sample, each in 0 ... outputs-1.
void require_labels(std::string_view metric, const IndexVector& labels, Index samples,
                    Index outputs);

[[noreturn]] void refuse(std::string_view metric, const std::string& what);

}  // namespace conoscope::metrics::detail
