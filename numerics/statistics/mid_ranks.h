// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

/// Ranks from 1; equal values share the mean of the ranks they take up.
Vector mid_ranks(const VectorRef& values);

}  // namespace conoscope::numerics
