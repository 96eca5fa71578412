// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numerics/types.h"

namespace conoscope::numerics {

struct ForestOptions {
  Index trees = 50;
  Index min_leaf = 1;
  std::uint64_t seed = 0;
};

struct ForestFit {
  Vector importance;           ///< by feature, sum 1; all 0 if no tree has a split
  double out_of_bag_r2 = 0.0;  ///< of the mean prediction of the trees that did not see a row
};

/// How well, and by which features, does a forest of very random trees predict a target?
///
/// Each tree is grown on a bootstrap sample; at each node one feature is drawn (again if it is
/// constant there) and split where the squared error falls most, with at least min_leaf distinct
/// rows on either side; a node with fewer than 2 min_leaf rows, or whose one feature allows no
/// split, is a leaf. Importance: per tree the squared error taken away by feature, brought to the
/// sum 1, then averaged over the trees.
///
/// x        n x d.   target  n.
/// returns  importance and out-of-bag R^2, at most 1. Rows that every tree saw are predicted as 0,
///          as scikit-learn does; with 50 trees there are none.
/// throws   std::invalid_argument: shapes that do not fit, an entry not finite, trees or
///          min_leaf < 1
///          std::domain_error: a constant target has no R^2
///
/// Source: the regressor of Suter et al., ICML 2019, appendix D (max_features = 1).
ForestFit random_forest(const MatrixRef& x, const VectorRef& target,
                        const ForestOptions& options = {});

}  // namespace conoscope::numerics
