// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/report/contest.h"
#include "results/store/store.h"

namespace conoscope::results {

/// How a method stands in its contest by one metric.
struct Standing {
  bool best = false;                       ///< the first of them by rank
  bool inseparable = false;                ///< it cannot be told apart from the best
  bool beats_twins = false;                ///< it has randomised twins, and beats all of them
  std::vector<std::string> unbeaten = {};  ///< the twins, by control, that it does not beat
};

/// "≈" cannot be told apart from the best, "✓" beats its twins; both, or neither.
std::string marks_of(const Standing& standing);
/// What the marks mean, in a line.
std::string marks_legend();

/// By the rules below, for the methods of all these contests that have all their seeds; with one seed a
/// method is at most the best. Empty without a direction.
///
/// among  contests() of the same run, metric and direction
std::map<BoardSubject, Standing> standings(Store& store, const std::string& run,
                                           const std::string& metric, const std::string& direction,
                                           const std::vector<Contest>& among);

/// What a metric's scores say of one contest, in a sentence or two.
struct Headline {
  std::string dataset, model;  ///< as of Contest
  std::string text;
};

/// By rule, for each contest in which at least one method has all its seeds:
///
///   best              the first of them by rank; the steps of a sanity ladder (perfect, random_importance,
///                     random_concepts) are no methods
///   cannot be told    its differences to the best, paired by seed and corrected by Holm over the methods,
///   apart             are not significant at 0.05
///   does not beat     the same of its differences to its own randomised twins, over all methods and twins
///
/// With one seed nothing is said of differences. Metrics without a direction have no headline, nor have
/// models that stand side by side because each is alone on its dataset.
///
/// among  contests() of the same run, metric and direction
/// found  standings() of them
std::vector<Headline> headlines(Store& store, const std::string& run, const std::string& metric,
                                const std::string& direction, const std::vector<Contest>& among,
                                const std::map<BoardSubject, Standing>& found);

}  // namespace conoscope::results
