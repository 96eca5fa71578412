#pragma once

#include <string_view>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// Both are n x C, n >= 1, C >= 1, all entries finite; throws std::invalid_argument otherwise.
void require_logit_pair(std::string_view metric, const MatrixRef& model_logits,
                        const MatrixRef& surrogate_logits);

}  // namespace conoscope::metrics::detail
