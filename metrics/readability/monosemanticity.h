// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Are the images in which a concept is strong alike?
///
///   a_ik = (s_ik - min_i s_ik) / (max_i s_ik - min_i s_ik)
///   M_k  = sum_{i<j} a_ik a_jk cos(e_i, e_j) / sum_{i<j} a_ik a_jk
///
/// the mean similarity of pairs of images, weighted by how strong the concept is in both. Worked out
/// from |sum_i a_i u_i|^2 with u = e / |e|, in O(n D K) and without the n x n similarities.
///
/// embeddings  e, n x D: one row for each image, n >= 2. A row of 0 has cosine 0 with every other.
/// scores      s, n x K: how strong each concept is in each image. Of a linear explanation those of a
///             concept with a negative importance (class-agnostic: its largest) are negated, for
///             (v, alpha) and (-v, -alpha) are one explanation.
/// returns     [-1, 1]: the mean over concepts; parts: M_k. A concept that is equally strong
///             everywhere, or strong in one image and at its minimum in all others, has no pair and
///             is left out, which a caveat counts; its part is NaN.
/// throws      std::invalid_argument: n < 2, K < 1, numbers of rows that differ, not finite
///             std::domain_error: no concept has a pair
///
/// Source: Pach et al., arXiv 2504.02821.
Result monosemanticity(const MatrixRef& embeddings, const MatrixRef& scores);

/// How alike are images that nobody has chosen? M of a concept that is equally strong in all: the mean
/// of cos(e_i, e_j) over pairs.
///
/// embeddings, throws  as above
double monosemanticity_null(const MatrixRef& embeddings);

namespace declare {
std::vector<Metric> monosemanticity();
}  // namespace declare

}  // namespace conoscope::metrics
