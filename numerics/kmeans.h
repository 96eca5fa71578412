// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/random.h"
#include "numerics/types.h"

namespace conoscope::numerics {

/// The defaults of scikit-learn 1.2.
struct KMeansOptions {
  int n_init = 10;  ///< k-means++ starts; the one of least inertia is kept, the earliest of equals
  int max_iter = 300;  ///< Lloyd iterations per start
  double tol = 1e-4;   ///< stop when sum_k |centre's move|^2 <= tol * mean variance of the features
};

struct KMeansResult {
  Matrix centres;             ///< K x D
  std::vector<Index> labels;  ///< N: the centre nearest to each row, of `centres` as returned
  double inertia = 0.0;       ///< sum_i |x_i - centre of i|^2, of `centres` as returned
  int iterations = 0;         ///< Lloyd iterations of the start that was kept
};

/// Which K points stand best for the rows, in summed squared distance? (Lloyd's algorithm)
///
///   assign   l_i = argmin_k |x_i - c_k|^2, lowest k of equals
///   update   c_k = mean of the rows with l_i = k
///
/// until the labels repeat, the centres' move falls to the tolerance, or max_iter is reached.
/// A centre left without rows moves onto the row farthest from its own centre (lowest row of
/// equals), which leaves its old cluster; a row that lies on its centre is never taken, so with
/// fewer distinct rows than K some centres stay where they were, without rows.
///
/// Candidates come from |c|^2 - 2 x.c, rows far from the origin shifted by their mean; any centre
/// that rounding could have put second is measured again as sum_d (x_d - c_d)^2 in double. Labels
/// therefore do not depend on how a product was blocked, and are those of double precision for
/// float rows too. A row is measured again only when the centres have moved enough to change its
/// label (triangle inequality): the labels are those of measuring every row every time. Sums,
/// centres and inertia are double; where few labels have changed only their rows are moved from sum
/// to sum, and all rows are added up again before the centres are returned.
///
/// x           N x D, finite. Float rows are not copied to double.
/// init        K x D, finite: the first centres
/// throws      std::invalid_argument: x or init empty or not finite; widths differ; K > N;
///             max_iter < 1; tol negative or not finite
///
/// Source: S. P. Lloyd, "Least squares quantization in PCM", IEEE Trans. Inf. Theory 28(2), 1982;
/// the bound: G. Hamerly, SDM 2010.
/// scikit-learn 1.2 differs: after a relocation in the last iteration its labels belong to the
/// centres before it; it moves rows at distance 0 too.
KMeansResult kmeans_from(const MatrixRef& x, const MatrixRef& init,
                         const KMeansOptions& options = {});
KMeansResult kmeans_from(const MatrixRefF& x, const MatrixRef& init,
                         const KMeansOptions& options = {});

/// As kmeans_from, from each of kmeans_starts(): the first r starts are the same whatever n_init is.
///
/// throws      as kmeans_from; std::invalid_argument: k < 1, k > N, n_init < 1
KMeansResult kmeans(const MatrixRef& x, Index k, Seed seed, const KMeansOptions& options = {});
KMeansResult kmeans(const MatrixRefF& x, Index k, Seed seed, const KMeansOptions& options = {});

}  // namespace conoscope::numerics
