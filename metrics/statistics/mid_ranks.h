#pragma once

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// Ranks from 1; equal values share the mean of the ranks they take up.
Vector mid_ranks(const VectorRef& values);

}  // namespace conoscope::metrics::detail
