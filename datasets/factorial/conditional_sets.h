// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conoscope/sdk/random.h"

namespace conoscope::datasets {

/// One step of the procedure that ties two neighbouring factors together: where the values that a
/// factor may take are drawn from, given the value a of the factor before it.
///
///   a low:  `count` values of [0, lower_end)            a high:  `count` of [upper_begin, values)
struct ConditionalStep {
  int conditions;   ///< how many values the factor before has
  int values;       ///< how many values this factor has
  int lower_end;    ///< the lower pool ends before it
  int upper_begin;  ///< the upper pool begins there
  int count;        ///< how many are drawn, without replacement
};

/// The values allowed in one step: for every value a of the factor before, a set for rows that are
/// low and one for those that are high.
class ConditionalSets {
 public:
  /// lower, upper  values x conditions, row-major by condition: `count` values each
  ConditionalSets(std::span<const std::int64_t> lower, std::span<const std::int64_t> upper,
                  const ConditionalStep& step);

  bool allows(int condition, bool low, int value) const {
    return allowed_[static_cast<std::size_t>((condition * 2 + (low ? 1 : 0)) * values_ + value)] !=
           0;
  }

 private:
  int values_;
  std::vector<char> allowed_;  ///< condition x (high, low) x value
};

/// The sets of all steps, drawn from one seed: a step's sets do not depend on those after it, so
/// that the sets of a stronger correlation contain those of a weaker one.
///
/// Source: Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation,
/// AAAI 2023, appendix A.6; sizes and pools are the steps': the authors' code's or their text's.
std::vector<ConditionalSets> draw_conditional_sets(std::span<const ConditionalStep> steps,
                                                   sdk::Seed seed);

}  // namespace conoscope::datasets
