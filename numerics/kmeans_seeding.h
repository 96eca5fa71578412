// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "numerics/kmeans_rows.h"
#include "numerics/random.h"
#include "numerics/types.h"

namespace conoscope::numerics {

/// K rows of x for each seed, spread out: greedy k-means++ seeding.
///
/// The first is drawn uniformly; each next is the best (least summed squared distance to the
/// nearest seed) of 2 + floor(ln K) rows drawn with probability proportional to their squared
/// distance to the nearest seed so far. When every row lies on a seed the rest are drawn uniformly.
///
/// Each is as it is by itself: they share their looks at the rows, which for many rows cost more
/// than what is done with them.
///
/// returns     K x D for each seed
/// throws      std::invalid_argument: x empty or not finite; k < 1; k > N
///
/// Source: Arthur & Vassilvitskii, SODA 2007; the greedy variant of its section 6.
std::vector<Matrix> kmeans_plus_plus(const MatrixRef& x, Index k, const std::vector<Seed>& seeds);
std::vector<Matrix> kmeans_plus_plus(const MatrixRefF& x, Index k, const std::vector<Seed>& seeds);

/// What kmeans() starts from: n_init seedings, start r by seed.child("start").child(r). Of more than
/// max(16,384, 100 K) rows, of so many, drawn without replacement by the start's own
/// seed.child("rows"), because a look at all of them for each seed costs what several iterations do.
/// A group so small that none of its rows is drawn has no seed in that start.
///
/// throws      as kmeans_plus_plus; std::invalid_argument: n_init < 1
std::vector<Matrix> kmeans_starts(const MatrixRef& x, Index k, Seed seed, int n_init);
std::vector<Matrix> kmeans_starts(const MatrixRefF& x, Index k, Seed seed, int n_init);

/// Of K-Means' own rows. T: float or double.
template <typename T>
std::vector<Matrix> kmeans_starts(const KMeansRows<T>& rows, Index k, Seed seed, int n_init);

}  // namespace conoscope::numerics
