// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metrics/factors/latent_factors.h"
#include "metrics/robustness/factor_cells.h"
#include "metrics/subject.h"

namespace conoscope::metrics {

/// The subject's codes and varying factors, of which interventional robustness needs two.
/// throws   NotApplicable: there are fewer; as latent_factors
const LatentFactors& irs_factors(const Subject& subject);

/// Their cells. Derived once: subject.once(irs_cells). throws as irs_factors
FactorCells irs_cells(const Subject& subject);

/// Of a score over combinations of factors of which many are missing, what it rests on; else empty.
///
/// coverage  the least of all means that were used, see mean_do.   name  what it is called
std::string coverage_caveat(const Subject& subject, double coverage, const char* name);

}  // namespace conoscope::metrics
