#pragma once

#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

/// What happens to a number while concepts are deleted one after the other?
struct DeletionCurve {
  IndexVector order;           ///< K concepts, the most important first
  std::vector<double> values;  ///< K + 1: with 0, 1, ... K of them deleted
  double auc = 0.0;            ///< trapezoids over the deleted share k / K
};

/// Indices of alpha in decreasing order, by value and not by magnitude; ties: the lowest index.
///
/// throws  std::invalid_argument: an entry not finite
IndexVector deletion_order(const VectorRef& importance);

/// Area under values at 0, 1/K, ... 1 (K + 1 values) by trapezoids, so that a constant keeps its
/// value whatever K is.
///
/// throws  std::invalid_argument: fewer than 2 values
double deletion_auc(const std::vector<double>& values);

}  // namespace conoscope::metrics
