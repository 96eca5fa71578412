#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

/// The rows of the blocks that so many rows begin: a multiple of all register widths.
inline Index rows_of_whole_blocks(Index rows) {
  constexpr Index kBlock = 16;
  return (rows + kBlock - 1) / kBlock * kBlock;
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
