#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// Interventional robustness of a subject's codes (group `irs`):
///
///   irs_score           IrsMatrix::score; parts: R of the active latents, row by row
///   irs_coverage        the least coverage of any mean that was used; 1: all combinations seen
///   irs_quantile        disentanglement_lib's version (0.99, factors in 20 bins); parts: its D
///   irs_domain_shift    the least domain_shift_robustness of all codes, any one factor being
///                       the domain; parts: that of each factor
///   irs_active_latents  latents that are not constant
///
/// subject  latent view and annotations.factors. Factors with a single value are left out, those
///          that are not integers are brought into 20 equal-width bins; the message says so.
/// returns  one Score per name, in this order. `not_applicable`: a view is missing, or fewer than
///          two factors vary. `undefined`: all latents are constant (irs_score and irs_quantile
///          too, where the pure functions give the library's 0).
/// throws   std::invalid_argument: numbers of samples that differ, an entry not finite
///
/// Source: Suter et al., ICML 2019.
std::vector<Score> irs_eval(const Views& subject);

namespace declare {
/// The rows of the group `irs`.
std::vector<Metric> irs();
}  // namespace declare

}  // namespace conoscope::metrics
