// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/analysis/sweep.h"
#include "results/formats/table.h"

namespace conoscope::results {

/// Where does each method's score stop improving with the number of concepts? A row for each sweep.
///
///   k, score    the K that select_k() chooses, and its mean over seeds with the 95 % t interval
///   best_k, best  the K of the best mean
///   rule        1se: one standard error; 1pct: 1 % of the range, where no spread is known
///   seeds       with a number at k
///   complete    Ks with a number for every seed / Ks asked
///   k_range     the smallest and the largest complete K
///   area        area_over_k() of the complete Ks: mean and 95 % t interval over the seeds
///   curve       the means over all asked Ks as a line of blocks, lowest to highest; · where a K is
///               not complete. Only with_curve: it is for people.
///
/// k, score, best_k, best and rule are NULL where no K is complete, area with fewer than two.
///
/// throws  std::invalid_argument: a metric without direction has no best
Table selection_table(const std::vector<Sweep>& sweeps, bool with_curve);

/// The curves themselves: a row for each sweep and K with mean, low and high (95 % t interval; NULL
/// with one seed), NULL where there is no number at all.
Table curve_table(const std::vector<Sweep>& sweeps);

}  // namespace conoscope::results
