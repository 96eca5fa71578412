#pragma once

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
///                   share a rank; none: the metric has no direction
///   k, used, <metric>   of the K that counts
/// A method that is above the budget at every K comes last, without these, and says what its
/// smallest use is.
///
/// used    sweeps of effective_concepts, of the same explainers as `scores`
/// scores  sweeps of the metrics, one after the other for each method, as sweeps() gives them
Table equal_budget_table(const std::vector<Sweep>& used, const std::vector<Sweep>& scores,
                         double budget);

}  // namespace conoscope::results
