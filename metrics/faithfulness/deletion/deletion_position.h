// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"

namespace conoscope::metrics {

/// Proxies: how accurate is the model as the positions of its most important concepts are replaced?
///
///   deletion_position_auc  below average pooling each position belongs to the concept of the
///                          label's class with the largest score (ties: the lowest index); deleted
///                          positions take the mean embedding of the evaluated positions; accuracy
///                          (see deletion_parts), mean over samples
///   deletion_position_classes_lost   CDISCO M1 by the same stand-in: classes that lost > 80 % of
///                          their accuracy, mean over the steps k = 1 ... K_c of each class
///
/// Stand-ins for the pixels that ACE, MCD and HU-MCD delete. Both delete cumulatively, by decreasing
/// importance; areas are over the deleted share k / K_c. The paper argues against all such measures
/// (Sec. 4.1): it is unclear how a concept is deleted without touching others, and what is left may
/// lie off the data manifold. They are offered for comparison with published numbers. Classes
/// without a concept or a sample do not count. Softmax heads of several positions, not flattened.
///
/// Source: Ghorbani et al., ACE, NeurIPS 2019; Graziani et al., CDISCO, 2023; as in Kumar and Ahuja,
/// arXiv 2504.10833, Sec. 4.1 and Table 1.
namespace declare {
std::vector<Metric> deletion_position();
}  // namespace declare

}  // namespace conoscope::metrics
