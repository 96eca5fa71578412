// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/report/sections.h"

namespace conoscope::results {

/// What latents do under interventions on factors, and how they are spread, where the run has these
/// summaries; empty: it has none.
std::string latents_html(const ReportContext& context);

}  // namespace conoscope::results
