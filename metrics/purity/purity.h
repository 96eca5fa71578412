#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// Group `purity`: does a representation know of its own concept alone?
///
/// Needs a concept view and annotated concepts. See ois() and nis().
///
///   ois, ois_off_diagonal         representations as they stand, k' = k; parts: the purity matrix,
///                                 row after row
///   ois_aligned_greedy, _optimal  after an alignment, k' >= k; parts: the row of each concept
///   ois_failed_fits               diagonal AUCs below 1/2, which make an OIS meaningless
///   nis, nis_softmax              binary concepts; parts: NI at each threshold
///
/// What cannot be had is not_applicable (views, shapes) or undefined (a constant concept, one label
/// in the test part).
///
/// throws  std::invalid_argument: c_hat and concepts of other lengths, an entry that is not finite,
///         no label
std::vector<Score> purity(const Views& subject);

namespace declare {
/// The rows of the group `purity`.
std::vector<Metric> purity();
}  // namespace declare

}  // namespace conoscope::metrics
