#pragma once

#include <string>
#include <vector>

#include "results/report/contest.h"
#include "results/store/store.h"

namespace conoscope::results {

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
std::vector<Headline> headlines(Store& store, const std::string& run, const std::string& metric,
                                const std::string& direction, const std::vector<Contest>& among);

}  // namespace conoscope::results
