#pragma once

#include <string>
#include <string_view>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// n x K' and n x K, n, K', K >= 1, all entries finite; messages call them by the given names.
void require_codes_and_factors(std::string_view metric, const MatrixRef& codes,
                               const MatrixRef& factors, const std::string& codes_name = "codes",
                               const std::string& factors_name = "factors");

/// Both as require_codes_and_factors, with the same codes and factors.
void require_train_and_test(std::string_view metric, const MatrixRef& train_codes,
                            const MatrixRef& train_factors, const MatrixRef& test_codes,
                            const MatrixRef& test_factors);

}  // namespace conoscope::metrics::detail
