// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/analysis/select_k.h"
#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

/// One explainer's scores of one metric by its number of concepts.
struct Sweep {
  Field dataset, model;
  std::string method;  ///< the explainer's name without its number of concepts
  std::string metric;
  std::string direction;          ///< higher, lower or none
  std::vector<ScoresAtK> points;  ///< ascending in k
};

struct SweepOptions {
  std::string run;  ///< key; empty: what any run asked for
  std::vector<std::string> metrics;
  std::string dataset, model, explainer;  ///< see component_words.h; empty: all
  /// The parameter that is the number of concepts K, by plugin id; a plugin that is missing has none.
  std::map<std::string, std::string> count_parameters;
  std::string count_parameter;  ///< of every plugin instead; empty: as above
};

/// name=value of a component's canonical parameters, text values with their quotes.
/// None: it is not such text.
std::optional<std::vector<std::pair<std::string, std::string>>> read_params(
    const std::string& params);

/// Explainers by their number of concepts. Two belong to one sweep if dataset, model, plugin, its
/// version and all parameters but the count are the same. An explainer without the count parameter,
/// or whose count is not a whole number from 1 (0: it finds the number itself), has no K; a sweep
/// has at least two. Sorted by dataset, model, method and the metrics as asked.
///
/// throws  StoreError (not_found): no run asks for the metric; lists those there are
std::vector<Sweep> sweeps(Store& store, const SweepOptions& options);

}  // namespace conoscope::results
