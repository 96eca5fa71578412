// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/crossed_grid.h"

#include <algorithm>
#include <limits>
#include <set>

namespace conoscope::metrics::detail {

namespace {

using Row = Eigen::Array<double, 1, Eigen::Dynamic>;
using RowMap = Eigen::Map<Row>;
using ConstRowMap = Eigen::Map<const Row>;

/// Number of rows, taken every `stride`, until the column's first value returns.
Index period(const MatrixRef& factors, Index column, Index stride) {
  Index count = 1;
  for (Index row = stride; row < factors.rows() && factors(row, column) != factors(0, column);
       row += stride)
    ++count;
  return count;
}

}  // namespace

std::optional<IndexVector> crossed_grid(const MatrixRef& factors) {
  const Index n = factors.rows(), columns = factors.cols();
  if (n < 1 || columns < 1) return std::nullopt;
  IndexVector extents(static_cast<std::size_t>(columns), 1);
  std::vector<std::vector<double>> values(static_cast<std::size_t>(columns));
  Index stride = 1;
  for (Index k = columns - 1; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    // A column whose first value stands in the second place does not change at this stride.
    extents[at] = period(factors, k, stride);
    std::set<double> distinct;
    for (Index v = 0; v < extents[at]; ++v) {
      values[at].push_back(factors(v * stride, k));
      if (!distinct.insert(values[at].back()).second) return std::nullopt;
    }
    if (extents[at] > n / stride) return std::nullopt;
    stride *= extents[at];
  }
  if (stride != n) return std::nullopt;

  // Row by row within a run of the last factor that changes, everything before it standing still.
  Index last = columns - 1;
  while (last > 0 && extents[static_cast<std::size_t>(last)] == 1) --last;
  const Index run = extents[static_cast<std::size_t>(last)];
  const auto& fastest = values[static_cast<std::size_t>(last)];
  IndexVector at(static_cast<std::size_t>(columns), 0);
  std::vector<double> expected(static_cast<std::size_t>(columns));
  for (Index begin = 0; begin < n; begin += run) {
    for (std::size_t k = 0; k < expected.size(); ++k)
      expected[k] = values[k][static_cast<std::size_t>(at[k])];
    bool same = true;
    for (Index r = 0; r < run; ++r) {
      const double* const row = factors.data() + (begin + r) * factors.outerStride();
      expected[static_cast<std::size_t>(last)] = fastest[static_cast<std::size_t>(r)];
      for (Index k = 0; k < columns; ++k) same &= row[k] == expected[static_cast<std::size_t>(k)];
    }
    if (!same) return std::nullopt;
    for (Index k = last - 1; k >= 0; --k) {
      const auto digit = static_cast<std::size_t>(k);
      if (++at[digit] < extents[digit]) break;
      at[digit] = 0;
    }
  }
  return extents;
}

GridExtremes grid_extremes(const MatrixRef& codes, const IndexVector& extents) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Index width = codes.cols();
  GridExtremes out;
  Index rows = 0;
  for (const Index extent : extents) {
    out.first_row.push_back(rows);
    rows += extent;
  }
  out.sum = Matrix::Zero(rows, width);
  out.low = Matrix::Constant(rows, width, kInf);
  out.high = Matrix::Constant(rows, width, -kInf);

  std::size_t last = extents.size() - 1;
  while (last > 0 && extents[last] == 1) --last;
  const Index run = extents[last];
  const Index table = out.first_row[last] * width;
  IndexVector at(extents.size(), 0);
  Row sum(width), low(width), high(width);
  for (Index begin = 0; begin < codes.rows(); begin += run) {
    // The codes of a run stand in line with the fastest factor's table, and their sum and extremes
    // are all that the other factors need of them.
    for (Index r = 0; r < run; ++r) {
      const ConstRowMap z(codes.data() + (begin + r) * codes.outerStride(), width);
      RowMap sum_at(out.sum.data() + table + r * width, width);
      RowMap low_at(out.low.data() + table + r * width, width);
      RowMap high_at(out.high.data() + table + r * width, width);
      sum_at += z;
      low_at = low_at.min(z);
      high_at = high_at.max(z);
      if (r == 0) {
        sum = z;
        low = z;
        high = z;
      } else {
        sum += z;
        low = low.min(z);
        high = high.max(z);
      }
    }
    for (std::size_t k = 0; k < extents.size(); ++k) {
      if (k == last) continue;
      const Index row = out.first_row[k] + at[k];
      out.sum.row(row).array() += sum;
      out.low.row(row) = out.low.row(row).array().min(low);
      out.high.row(row) = out.high.row(row).array().max(high);
    }
    for (std::size_t k = last; k-- > 0;) {
      if (++at[k] < extents[k]) break;
      at[k] = 0;
    }
  }
  return out;
}

}  // namespace conoscope::metrics::detail
