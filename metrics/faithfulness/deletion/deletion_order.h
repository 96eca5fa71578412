// SPDX-License-Identifier: Apache-2.0
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

/// The mean over samples of areas that are known class by class; classes without a concept or a
/// sample do not count.
class MeanOverClasses {
 public:
  void add(double area, Index samples) {
    sum_ += area * static_cast<double>(samples);
    samples_ += static_cast<double>(samples);
  }
  /// throws  std::domain_error: no class has both a concept and a sample
  double value() const;

 private:
  double sum_ = 0.0, samples_ = 0.0;
};

/// The given rows, in their order.
Matrix rows_at(const MatrixRef& rows, const IndexVector& which);

}  // namespace conoscope::metrics
