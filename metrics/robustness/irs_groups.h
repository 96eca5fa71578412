// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// The factors that a setting chooses, as columns of LatentFactors: it numbers the annotated ones.
///
/// throws   NotApplicable: there is no such factor; std::domain_error: it has a single value
IndexVector chosen_factors(const Subject& subject, const Setting& setting);

namespace declare {
/// Of chosen latents and factors, on request  irs_given: IRS(L | I, J)   irs_empida: EMPIDA(L | I, J),
/// parts: MPIDA(L | g_I, J)   irs_pida: the largest PIDA(L | g_I, g_J), parts: all of them. Settings:
/// given I, moved J (all others), latents L (all).
std::vector<Metric> irs_groups();
}  // namespace declare

}  // namespace conoscope::metrics
