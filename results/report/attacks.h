// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/report/sections.h"

namespace conoscope::results {

/// Samples before and after a change that the model does not notice, and what becomes of their
/// explanations; empty: the run has no such summary.
std::string attacks_html(const ReportContext& context);

}  // namespace conoscope::results
