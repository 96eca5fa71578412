// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

/// The rows of the blocks that so many rows begin: a multiple of all register widths.
inline Index rows_of_whole_blocks(Index rows) {
  constexpr Index kBlock = 16;
  return (rows + kBlock - 1) / kBlock * kBlock;
}

/// x weight^T, n x K, each row the same bits wherever it stands: a product treats the last rows, which
/// fill no register, otherwise than the first. Here zero rows follow until a block is full. Blocks of
/// 32 rows, because Eigen takes another way for products of less than twenty rows and columns.
///
/// x  n x D;  weight  K x D
template <typename T>
RowMajor<T> product_by_whole_blocks(const RowMajorRef<T>& x, const RowMajorRef<T>& weight) {
  constexpr Index kBlock = 32;
  const Index n = x.rows(), whole = n / kBlock * kBlock;
  RowMajor<T> out(n, weight.rows());
  if (whole > 0) out.topRows(whole).noalias() = x.topRows(whole) * weight.transpose();
  if (whole == n) return out;
  RowMajor<T> rest = RowMajor<T>::Zero(kBlock, x.cols());
  rest.topRows(n - whole) = x.bottomRows(n - whole);
  const RowMajor<T> last = rest * weight.transpose();
  out.bottomRows(n - whole) = last.topRows(n - whole);
  return out;
}

/// apply(x), row by row the same bits wherever a row stands: products, exponentials and sums treat
/// the last rows of a matrix, which fill no register, otherwise than the first, and equal rows then
/// differ in the last bit. Here zero rows follow until the last block is full; their results are
/// dropped.
///
/// apply  maps m rows to m rows, each on its own.
template <typename Apply>
Matrix by_whole_blocks(const MatrixRef& x, const Apply& apply) {
  Matrix padded = Matrix::Zero(rows_of_whole_blocks(x.rows()), x.cols());
  padded.topRows(x.rows()) = x;
  return Matrix(apply(padded)).topRows(x.rows());
}

}  // namespace conoscope::numerics
