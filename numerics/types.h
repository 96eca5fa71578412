// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace conoscope::numerics {

using Index = Eigen::Index;
using IndexVector = std::vector<Index>;

/// Row-major, like every file and every array that crosses the plugin border: a Ref of the other
/// order would copy silently. Rows are samples.
template <typename T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A read-only view; rows may be further apart than their length.
template <typename T>
using RowMajorRef = Eigen::Ref<const RowMajor<T>, 0, Eigen::OuterStride<>>;

using Matrix = RowMajor<double>;
using MatrixF = RowMajor<float>;
using MatrixRef = RowMajorRef<double>;
using MatrixRefF = RowMajorRef<float>;
using Vector = Eigen::VectorXd;
using VectorRef = Eigen::Ref<const Vector>;

/// Rows that are worked on together so that they stay in the second-level cache: about 256 KiB.
/// A function of the width alone: no result depends on how many threads a host has.
template <typename T>
Index rows_per_block(Index width) {
  constexpr Index kBytes = 256 * 1024;
  const Index rows = kBytes / (static_cast<Index>(sizeof(T)) * (width > 0 ? width : 1));
  return rows < 64 ? 64 : (rows > 4096 ? 4096 : rows);
}

}  // namespace conoscope::numerics
