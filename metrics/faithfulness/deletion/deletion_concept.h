// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "metrics/faithfulness/deletion/deletion_order.h"
#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What is answered to m x K scores, which were left to these m samples: m numbers, each of its own
/// row, as the logit of a class read in the embedding that is rebuilt from them.
using RowAnswer = std::function<Vector(const IndexVector& samples, const MatrixRef& scores)>;

/// Proxy: what is left of an answer when its concepts' scores are set to 0, one after the other?
///
///   U^(k) = U with the columns of the k most important concepts 0;   values_k = mean answer(U^(k))
///
/// scores      U, n x K, n >= 1, K >= 1.   importance  K.
/// answer      asked for all samples, then for those that steps change: a score that is 0 already is
///             deleted for nothing.
/// throws      std::invalid_argument: n < 1, K < 1, another number of importances, an entry not
///             finite; another number of answers than rows, an answer that is not finite
///
/// Source: Fel et al., CVPR 2023 (CRAFT), as classified in Kumar and Ahuja, arXiv 2504.10833,
/// Table 1, which argues against it (Sec. 4.1): 0 need not delete a concept, and what is left need
/// not lie on the data manifold.
DeletionCurve deletion_concept(const MatrixRef& scores, const VectorRef& importance,
                               const RowAnswer& answer);

namespace declare {
/// deletion_concept_auc: each class's logit on the samples that the model puts there, embeddings
/// rebuilt from what is left of their scores; mean over samples. Softmax heads, not flattened.
std::vector<Metric> deletion_concept();
}  // namespace declare

}  // namespace conoscope::metrics
