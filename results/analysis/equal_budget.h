// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/analysis/sweep.h"
#include "results/formats/table.h"

namespace conoscope::results {

/// The metric that says how many numbers an output's explanation uses.
inline constexpr const char* kUsedMetric = "effective_concepts";

/// Who is best where everybody may use as many numbers for an output? A row for each method.
///
/// Of the Ks of a method those compete for which `used`, the mean of effective_concepts over seeds,
/// is at most the budget; the one of largest `used` counts, the smallest K of equals. A K without a
/// number for every seed is passed over.
///
///   rank            by the first metric, among the methods of one dataset and model; equal means
///                   share a rank; none: the metric has no direction, or no number there
///   k, used, <metric>   of the K that counts; empty: no run asked for the metric there
/// A method that is above the budget at every K comes last, without these, and says what its
/// smallest use is.
///
/// used    sweeps of effective_concepts, of the same explainers as `scores`
/// scores  sweeps of the metrics, as sweeps() gives them; a method may lack some
/// asked   the metrics, in the order of the columns; one without a sweep has no column
Table equal_budget_table(const std::vector<Sweep>& used, const std::vector<Sweep>& scores,
                         const std::vector<std::string>& asked, double budget);

}  // namespace conoscope::results
