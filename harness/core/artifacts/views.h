// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "harness/core/artifacts/artifact.h"
#include "metrics/views.h"

namespace conoscope::core {

// Arrays as the metrics take them, in double.

/// The axes before `split` as rows, the others as columns; no more than the first `most` rows.
metrics::Matrix to_matrix(const sdk::Tensor& tensor, int split,
                          metrics::Index most = std::numeric_limits<metrics::Index>::max());

/// softmax where nothing is said.
metrics::Output output_of(const ArrayBag& bag);

/// As to_matrix, but the numbers stay where they are. The memory, and the tensor's row index, must
/// outlive it.
metrics::RowSource rows_in(const sdk::Tensor& tensor, int split);

/// activations n x P x D (n x D counts as P = 1), which stay where they are, the head, and the
/// logits of a network whose layer is not its last.
metrics::HeadView make_head_view(const ArrayBag& bag);

/// CAVs and importances; psi is not among the arrays.
metrics::Explanation make_explanation(const ArrayBag& bag);

/// What of it there is.
metrics::Annotations make_annotations(const ArrayBag& bag);

/// What has_view(bag, "truth") says is there.
metrics::Truth make_truth(const ArrayBag& bag);

/// Are all of the view's required arrays there?
bool has_view(const ArrayBag& arrays, std::string_view view);

}  // namespace conoscope::core
