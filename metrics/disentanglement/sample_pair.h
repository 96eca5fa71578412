#pragma once

#include <string_view>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// n x K' and n x K, n, K', K >= 1, all entries finite.
void require_codes_and_factors(std::string_view metric, const MatrixRef& codes,
                               const MatrixRef& factors);

}  // namespace conoscope::metrics::detail
