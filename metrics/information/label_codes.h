// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// Labels renumbered 0, 1, ... in ascending order of their values.
struct LabelCodes {
  std::vector<Index> code;    ///< one per sample
  std::vector<Index> counts;  ///< samples of each code, all >= 1
};

/// throws  std::invalid_argument: no labels
LabelCodes label_codes(std::string_view metric, std::string_view argument,
                       std::span<const Index> labels);

}  // namespace conoscope::metrics::detail
