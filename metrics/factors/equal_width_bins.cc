// SPDX-License-Identifier: Apache-2.0
#include "metrics/factors/equal_width_bins.h"

#include <algorithm>
#include <string>
#include <vector>

#include "numerics/checks.h"

namespace conoscope::metrics {

IndexMatrix equal_width_bins(const MatrixRef& values, Index bins) {
  constexpr const char* kName = "equal_width_bins";
  if (bins < 1) numerics::refuse(kName, "bins is " + std::to_string(bins) + "; needs at least 1");
  if (values.rows() < 1) numerics::refuse(kName, "values has no rows; needs at least 1");
  numerics::require_finite(kName, "values", values);
  IndexMatrix out(values.rows(), values.cols());
  std::vector<double> edges(static_cast<std::size_t>(bins));
  for (Index j = 0; j < values.cols(); ++j) {
    double low = values.col(j).minCoeff(), high = values.col(j).maxCoeff();
    if (low == high) {
      low -= 0.5;
      high += 0.5;
    }
    const double step = (high - low) / static_cast<double>(bins);
    for (std::size_t k = 0; k < edges.size(); ++k) edges[k] = static_cast<double>(k) * step + low;
    for (Index i = 0; i < values.rows(); ++i) {
      // The guess is off by at most a rounding; the edges themselves decide.
      const double x = values(i, j);
      Index bin = std::clamp(static_cast<Index>((x - low) / step), Index{0}, bins - 1);
      while (bin > 0 && edges[static_cast<std::size_t>(bin)] > x) --bin;
      while (bin + 1 < bins && edges[static_cast<std::size_t>(bin + 1)] <= x) ++bin;
      out(i, j) = bin;
    }
  }
  return out;
}

}  // namespace conoscope::metrics
