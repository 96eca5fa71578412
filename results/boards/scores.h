// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/store/store.h"

namespace conoscope::results {

struct ScoreFilter {
  std::string run;                                ///< key; empty: everything in the store
  std::string dataset, model, explainer, metric;  ///< see component_words.h; empty: all
  std::string control = "none";                   ///< empty: all
};

/// A number that counts, and what it was scored on.
struct CurrentScore {
  std::string metric, direction;
  std::string dataset, model, explainer, control;  ///< names; explainer may be empty
  std::int64_t seed = 0;
  double value = 0;
  std::string dataset_key, model_key, explainer_key;
};

/// Sorted by metric, names, control and seed. Scores without a number are left out.
std::vector<CurrentScore> current_scores(Store& store, const ScoreFilter& filter);

/// Metrics that the store knows, sorted.
std::vector<std::string> metric_names(Store& store);

}  // namespace conoscope::results
