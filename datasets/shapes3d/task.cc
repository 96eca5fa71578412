// SPDX-License-Identifier: Apache-2.0
#include "datasets/shapes3d/task.h"

#include <stdexcept>
#include <string>

namespace conoscope::datasets::shapes3d {

const std::array<ConditionalStep, 5> kSteps = {{
    {10, 10, 7, 3, 5},  // wall_hue given floor_hue
    {10, 10, 7, 3, 5},  // object_hue given wall_hue
    {10, 8, 6, 2, 4},   // scale given object_hue
    {8, 4, 3, 1, 2},    // shape given scale
    {4, 15, 9, 6, 7},   // orientation given shape
}};

namespace {

constexpr int kStrides[6][kFactors] = {{2, 2, 2, 1, 1, 4}, {1, 2, 2, 1, 1, 4}, {1, 1, 2, 1, 1, 4},
                                       {1, 1, 1, 1, 1, 4}, {1, 1, 1, 1, 1, 2}, {1, 1, 1, 1, 1, 1}};
constexpr std::array<int, kFactors> kThresholds = {5, 5, 5, 4, 2, 7};  ///< a concept: below it

}  // namespace

std::vector<std::int64_t> select_rows(const FactorTable& table, std::int64_t gamma,
                                      std::span<const ConditionalSets> sets) {
  if (gamma < 0 || gamma > kStrongest || static_cast<std::int64_t>(sets.size()) < gamma)
    throw std::invalid_argument("shapes3d: gamma is " + std::to_string(gamma) + " with " +
                                std::to_string(sets.size()) + " conditional sets, expected 0 to 5");
  return rows_on_strides(table, kStrides[gamma], gamma, [&](const auto row, std::size_t step) {
    return sets[step].allows(row[step], row[step] < kThresholds[step], row[step + 1]);
  });
}

std::array<std::uint8_t, kFactors> concepts_of(std::span<const std::uint8_t> row) {
  std::array<std::uint8_t, kFactors> concepts;
  for (std::size_t f = 0; f < kFactors; ++f) concepts[f] = row[f] < kThresholds[f] ? 1 : 0;
  return concepts;
}

std::int64_t label(std::span<const std::uint8_t> concepts, LabelRule rule) {
  const std::int64_t c1 = concepts[0], c2 = concepts[1], c3 = concepts[2], c4 = concepts[3],
                     c5 = concepts[4], c6 = concepts[5];
  if (rule == LabelRule::kRobustMetrics) return c5 ? 4 * c1 + 2 * c2 + c3 : 8 + 2 * c4 + c6;
  const std::int64_t y = (1 - c5) * (2 * c1 + c2) + c5 * (4 + 4 * c3 + 2 * c4 + c6);
  if (rule == LabelRule::kLeakage) return y;
  return y - 3 * c1 * c2 * c3 - c4 * c5 * c6 - c1 * c3 * c5 + c2 * c4 * c6;
}

}  // namespace conoscope::datasets::shapes3d
