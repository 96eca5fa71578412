#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// Proxies: how much does the model suffer without its most important concepts?
///
///   deletion_concept_auc   CRAFT: each class's logit on the samples that the model puts there,
///                          scores zeroed and embeddings rebuilt (see deletion_concept); mean over
///                          samples
///   deletion_weight_auc    CDISCO M2: accuracy on each label's samples, the class's own CAVs taken
///                          out of the whole head (see deletion_weight); mean over samples
///   deletion_position_auc  stand-in for ACE, MCD and HU-MCD below average pooling: each position
///                          belongs to the concept of the label's class with the largest score
///                          (ties: the lowest index) and is replaced by the mean embedding of the
///                          evaluated positions; accuracy (see deletion_parts), mean over samples
///   deletion_position_classes_lost   CDISCO M1 by the same stand-in: classes that lost > 80 % of
///                          their accuracy, mean over the steps k = 1 ... K_c of each class
///
/// All delete cumulatively, by decreasing importance; areas are over the deleted share k / K_c. The
/// paper argues against all of them (Sec. 4.1): it is unclear how a concept is deleted without
/// touching others, and what is left may lie off the data manifold. They are offered for
/// comparison with published numbers. Classes without a concept or a sample do not count.
///
/// subject  head and explanation; annotations.labels for all but deletion_concept_auc.
/// returns  one Score per name, in this order. `not_applicable`: a missing view or missing labels,
///          a head that is not softmax, a flatten head; a single position (position scores); CAVs
///          that a projection keeps to itself (deletion_weight_auc); `undefined`: no class has both
///          a concept and a sample.
/// throws   as model_logits, deletion_concept, deletion_weight and deletion_parts
///
/// Source: Kumar and Ahuja, arXiv 2504.10833, Sec. 4.1 and Table 1.
std::vector<Score> deletion(const Views& subject);

namespace declare {
/// The rows of the group `deletion`.
std::vector<Metric> deletion();
}  // namespace declare

}  // namespace conoscope::metrics
