#pragma once

#include <cstdint>
#include <span>

#include "results/formats/table.h"

namespace conoscope::results {

/// Half-width of the 95 % t interval of a mean: t sd / sqrt(n).
/// throws  std::invalid_argument: n < 2
double t_half_width(std::int64_t n, double sd);

/// Mean and 95 % t interval; one value alone has no interval.
/// throws  std::invalid_argument: no values
Estimate estimate_of(std::span<const double> values, std::int64_t asked);

}  // namespace conoscope::results
