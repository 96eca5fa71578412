// SPDX-License-Identifier: Apache-2.0
#include "datasets/factorial/text_selection.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "datasets/factorial/conditional_sets.h"

namespace conoscope::datasets {
namespace {

std::vector<ConditionalStep> steps_of(std::span<const int> sizes) {
  std::vector<ConditionalStep> steps;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const int values = sizes[i + 1];
    const int first_upper = std::max(values / 4, 1);  // counted from 1
    steps.push_back({sizes[i], values, 3 * values / 4, first_upper - 1, values / 2});
  }
  return steps;
}

}  // namespace

std::vector<std::int64_t> select_rows_by_text(const FactorTable& table, std::int64_t gamma,
                                              const DecidingConcept& decides, sdk::Seed sets_seed) {
  const auto steps = steps_of(table.sizes);
  if (gamma < 0 || gamma > static_cast<std::int64_t>(steps.size()))
    throw std::invalid_argument("gamma is " + std::to_string(gamma) + ", expected 0 to " +
                                std::to_string(steps.size()));
  const auto sets =
      draw_conditional_sets(std::span(steps).first(static_cast<std::size_t>(gamma)), sets_seed);
  std::vector<int> strides(table.sizes.size(), 1);
  std::fill(strides.begin() + gamma + 1, strides.end(), 2);
  return rows_on_strides(table, strides, gamma, [&](const auto row, std::size_t step) {
    const bool low = row[decides.factor] < decides.below;
    return sets[step].allows(row[step], low, row[step + 1]);
  });
}

}  // namespace conoscope::datasets
