// SPDX-License-Identifier: Apache-2.0
#include "metrics/views.h"

#include "numerics/whole_blocks.h"

namespace conoscope::metrics {

Matrix Explanation::linear_scores(Index output, const MatrixRef& rows) const {
  return numerics::product_by_whole_blocks<double>(
      rows, cavs.middleRows(first_row(output), concepts(output)));
}

}  // namespace conoscope::metrics
