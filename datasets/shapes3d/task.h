// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "datasets/factorial/conditional_sets.h"
#include "datasets/factorial/table.h"
#include "datasets/factorial/text_selection.h"

namespace conoscope::datasets::shapes3d {

using datasets::LabelRule;

constexpr std::size_t kFactors = 6;
constexpr std::array<std::string_view, kFactors> kFactorNames = {
    "floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation"};
constexpr std::array<int, kFactors> kSizes = {10, 10, 10, 8, 4, 15};
constexpr std::int64_t kStrongest = 5;  ///< gamma: how many steps of correlation there can be

/// 3dshapes(gamma), gamma = 0 ... 5: how the factors of the first gamma + 1 depend on one another.
extern const std::array<ConditionalStep, 5> kSteps;

/// Of selection = "published_text": c5 = [shape < 2].
inline constexpr DecidingConcept kDeciding = {4, 2};

/// The row numbers of 3dshapes(gamma), ascending: those where every factor is a multiple of its
/// stride (fewer values of the factors that are still free, so that the size stays near 14,000 to
/// 16,000), and where, for the first gamma steps, the value is one of those allowed for the value
/// of the factor before: the lower set where that factor's own concept is 1.
///
/// sets    at least gamma of them, one for each step
/// throws  std::invalid_argument: gamma outside 0 ... 5, or too few sets
std::vector<std::int64_t> select_rows(const FactorTable& table, std::int64_t gamma,
                                      std::span<const ConditionalSets> sets);

/// c1 ... c6 of a row: [floor_hue < 5], [wall_hue < 5], [object_hue < 5], [scale < 4], [shape < 2],
/// [orientation < 7] (of class indices).
std::array<std::uint8_t, kFactors> concepts_of(std::span<const std::uint8_t> row);

/// The label, 0 ... 11, that follows from the concepts:
///
///   kLeakage        (1 - c5)(2 c1 + c2) + c5 (4 + 4 c3 + 2 c4 + c6)
///   kRobustMetrics  c5 ? 4 c1 + 2 c2 + c3 : 8 + 2 c4 + c6
///   kMisspecified   kLeakage - 3 c1 c2 c3 - c4 c5 c6 - c1 c3 c5 + c2 c4 c6
std::int64_t label(std::span<const std::uint8_t> concepts, LabelRule rule);

}  // namespace conoscope::datasets::shapes3d
