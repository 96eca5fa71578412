#pragma once

#include <string_view>

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics::detail {

/// Rows per product: the C outputs of one block stay in the cache until they are scored, and
/// packing the weights once per block costs 1/512 of the product.
inline constexpr Index kBlockRows = 512;

/// Shapes of a head view agree and positions can be pooled; throws std::invalid_argument.
void require_head(std::string_view metric, const HeadView& head);

/// n x D: the mean over positions, or for kFlatten their sum (Eq. 10 sums; a flatten head's scale
/// is per position). `storage` holds the result unless P = 1, where H is returned as it lies.
MatrixRef pool_positions(const HeadView& head, Matrix& storage);

/// rows * weight^T + bias, n x C, without any check.
Matrix affine(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias);
Matrix affine(const MatrixRefF& rows, const MatrixRef& weight, const VectorRef& bias);

}  // namespace conoscope::metrics::detail
