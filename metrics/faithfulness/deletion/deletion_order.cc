// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/deletion/deletion_order.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "numerics/checks.h"

namespace conoscope::metrics {

IndexVector deletion_order(const VectorRef& importance) {
  numerics::require_finite_vector("deletion_order", "importance", importance);
  IndexVector order(static_cast<size_t>(importance.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return importance(a) > importance(b); });
  return order;
}

double deletion_auc(const std::vector<double>& values) {
  if (values.size() < 2)
    numerics::refuse("deletion_auc", std::to_string(values.size()) + " values; needs 2 at least");
  const double inner =
      std::accumulate(values.begin(), values.end(), 0.0) - 0.5 * (values.front() + values.back());
  return inner / static_cast<double>(values.size() - 1);
}

double MeanOverClasses::value() const {
  if (samples_ == 0.0) throw std::domain_error("no class has both a concept and a sample");
  return sum_ / samples_;
}

Matrix rows_at(const MatrixRef& rows, const IndexVector& which) {
  Matrix out(static_cast<Index>(which.size()), rows.cols());
  for (size_t i = 0; i < which.size(); ++i) out.row(static_cast<Index>(i)) = rows.row(which[i]);
  return out;
}

}  // namespace conoscope::metrics
