#pragma once

#include <string>

#include "numerics/types.h"

namespace conoscope::numerics {

/// The refusals that all functions of this folder share. Each message names function, argument,
/// row, column and the value seen.
///
/// throws      std::invalid_argument: x has no row or no column, or an entry is NaN or infinite
void check_finite(const std::string& function, const std::string& argument, const MatrixRef& x);
void check_finite(const std::string& function, const std::string& argument, const MatrixRefF& x);

/// throws      std::invalid_argument: as check_finite, or an entry is negative
void check_non_negative(const std::string& function, const std::string& argument,
                        const MatrixRef& x);
void check_non_negative(const std::string& function, const std::string& argument,
                        const MatrixRefF& x);

/// throws      std::invalid_argument: value is not a finite number >= 0
void check_weight(const std::string& function, const std::string& argument, double value);

/// throws      std::invalid_argument: value < least
void check_at_least(const std::string& function, const std::string& argument, Index value,
                    Index least);

}  // namespace conoscope::numerics
