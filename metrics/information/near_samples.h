// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// Rows that lie one after the other and seek their neighbours among each other.
struct PeerRows {
  Index size = 0;
  Index neighbours = 0;  ///< k, 1 ... size - 1
};

/// What a sample has around it, by comparing all pairs, exact in double.
///
/// A pair's distance is first taken in coarse numbers (15-bit integers for the max norm, floats for
/// the Euclidean one) with a bound on what those can be wrong by; pairs that this does not settle
/// are compared as doubles. The k-th distance and the counts rest on one and the same double for
/// each pair, so that a sample at exactly the k-th distance is told from a nearer one. (Distances
/// by |a|^2 - 2ab + |b|^2 are not: rounding then moves about every second k-th neighbour inside its
/// own radius.)
struct NearSamples {
  /// The distance to the k-th nearest other sample among the peers; squared if Euclidean.
  std::vector<double> radius;
  /// For each side and sample how many samples of all are nearer than the radius on that side
  /// alone, the sample included; of radius 0, how many are equal to it there.
  std::vector<std::vector<Index>> within;
};

/// By max norm, radius of the two sides together: |(x_i, y_i) - (x_j, y_j)| is the larger side's.
///
/// x, y   n x d_x and n x d_y, finite; all samples are peers, k <= n - 1.
NearSamples near_by_max_norm(const MatrixRef& x, const MatrixRef& y, Index k);

/// By Euclidean norm, one side.
///
/// rows   n x d, finite. groups: their sizes sum to n.
NearSamples near_by_euclidean_norm(const MatrixRef& rows, std::span<const PeerRows> groups);

}  // namespace conoscope::metrics::detail
