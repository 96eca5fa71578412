// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "numerics/types.h"

namespace conoscope::numerics {

/// n x D numbers that stay where they are and as they are (a mapped file of float16, say) and are
/// read a block of rows at a time, in double. Copying it copies no numbers.
class RowSource {
 public:
  /// Rows first ... first + count - 1, count * cols() numbers, row by row.
  using Read = std::function<void(Index first, Index count, double* out)>;

  RowSource() = default;
  RowSource(Index rows, Index cols, Read read);
  /// Rows at hand.
  RowSource(Matrix rows);  // NOLINT(google-explicit-constructor): a matrix is a source of its rows
  template <typename Derived>
  RowSource(const Eigen::DenseBase<Derived>& rows)  // NOLINT(google-explicit-constructor)
      : RowSource(Matrix(rows.derived().template cast<double>())) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  Matrix block(Index first, Index count) const;
  /// A block, into a matrix at hand.
  void read(Index first, Index count, Matrix& out) const;
  /// All of them: for what is known to be small.
  Matrix all() const { return block(0, rows_); }

 private:
  Index rows_ = 0, cols_ = 0;
  Read read_;
};

/// visit(first, block) for one block of rows after the other: whole samples of `per_sample` rows
/// each, 32 MB where a sample is not larger.
void for_each_block(const RowSource& source, Index per_sample,
                    const std::function<void(Index first, const Matrix& block)>& visit);

/// The rows of the given samples, `per_sample` rows each.
Matrix rows_of_samples(const RowSource& source, Index per_sample, const IndexVector& samples);

/// No NaN and no infinity; names the first offender, as require_finite.
void require_finite_rows(std::string_view function, std::string_view argument,
                         const RowSource& source, Index per_sample);

}  // namespace conoscope::numerics
