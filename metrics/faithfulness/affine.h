// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics::detail {

/// Shapes of a head view agree and positions can be pooled; throws std::invalid_argument.
void require_head(std::string_view metric, const HeadView& head);

/// n x D: the mean over positions, or for kFlatten their sum.
Matrix pool_positions(const HeadView& head);

/// Groups of `positions` rows to one row each: their mean, or for kFlatten their sum.
Matrix pool_rows(const MatrixRef& rows, Index positions, Pooling pooling);

/// rows * weight^T + bias, n x C, without any check.
Matrix affine(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias);

}  // namespace conoscope::metrics::detail
