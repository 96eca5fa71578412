// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/report/sections.h"

namespace conoscope::results {

/// The images in which concepts are strongest, and what other seeds find in place of each concept; empty:
/// the run has no such summaries.
std::string concept_cards_html(const ReportContext& context);

}  // namespace conoscope::results
