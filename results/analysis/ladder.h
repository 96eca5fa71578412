// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/store/store.h"

namespace conoscope::results {

/// The steps of a ladder: of explanations by their explainers, of models by their parameter `step`.
inline constexpr std::array<const char*, 3> kExplainerSteps = {"perfect", "random_importance",
                                                               "random_concepts"};
inline constexpr std::array<const char*, 3> kModelSteps = {"perfect", "half", "random"};

/// What a metric said of the three steps of one sanity ladder.
///
/// Explanations: those of one model, by explainers with the same parameters.
/// Models: those of a plugin ladder_* that differ in nothing but their parameter `step`.
struct Ladder {
  std::string dataset;
  /// The model's name, and parameters of the explainers that are not their defaults; of ladder_* the
  /// plugin with its other parameters.
  std::string subject;
  bool of_models = false;
  std::string metric;
  std::string direction, unit;  ///< of the metric: higher, lower or none
  struct Step {
    bool asked = false;                      ///< the run has this step
    std::map<std::int64_t, double> by_seed;  ///< where there is a number
  };
  std::array<Step, 3> steps;
};

/// Every ladder of a run, by dataset, subject and the metrics as given.
/// throws  StoreError (not_found): the run does not ask for the metric
std::vector<Ladder> ladders(Store& store, const std::string& run,
                            const std::vector<std::string>& metrics);

/// The first of these runs that has whole ladders with numbers for a metric, and these; an empty key: none.
///
/// with_ladder  ladder_runs()
std::pair<std::string, std::vector<Ladder>> whole_ladders(
    Store& store, const std::vector<std::string>& runs, const std::vector<std::string>& with_ladder,
    const std::string& metric);

/// Runs that have a ladder, or a step of one, newest first.
std::vector<std::string> ladder_runs(Store& store);

}  // namespace conoscope::results
