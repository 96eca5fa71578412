// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/deletion/deletion_order.h"
#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Proxy: how accurate is the head without the directions of its concepts?
///
///   W^(k) = W (I - Q_k Q_k^T),   Q_k an orthonormal basis of the k most important CAVs
///
/// found one direction after the other: W^(k) = W^(k-1) - (W^(k-1) q_k) q_k^T.
/// A CAV that lies in the span of those before it (within 1e-10 of its norm), a zero CAV too,
/// changes nothing.
///
/// rows        pooled H, n x D.   weight  W, C x D.   bias  b, C.
/// cavs        V, K x D, K >= 1, of any length.   importance  K.
/// labels      n, in 0 ... C-1.
/// returns     values: accuracy in [0, 1] for k = 0 ... K.
/// throws      std::invalid_argument: n, C, D or K < 1, shapes that disagree, an entry not finite,
///             a label outside 0 ... C-1
///
/// Source: Graziani et al., 2023 (CDISCO), measure M2 in Kumar and Ahuja, arXiv 2504.10833,
/// Table 1: parameters that belong to the concept are zeroed. Which ones is not said there for a
/// direction; taking the direction out of every row of W is our reading. Its objections: see
/// deletion_concept.
DeletionCurve deletion_weight(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias,
                              const MatrixRef& cavs, const VectorRef& importance,
                              const IndexVector& labels);

namespace declare {
/// deletion_weight_auc: on each label's samples, the class's own CAVs taken out of the whole head;
/// mean over samples. Softmax heads, not flattened; the explanation must show its CAVs.
std::vector<Metric> deletion_weight();
}  // namespace declare

}  // namespace conoscope::metrics
