// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/factorial/conditional_sets.h"
#include "datasets/factorial/table.h"
#include "datasets/factorial/text_selection.h"

namespace conoscope::datasets::dsprites {

using datasets::LabelRule;

constexpr std::size_t kFactors = 5;
constexpr std::array<std::string_view, kFactors> kFactorNames = {"shape", "scale", "orientation",
                                                                 "posX", "posY"};
constexpr std::array<int, kFactors> kSizes = {3, 6, 40, 32, 32};
constexpr std::int64_t kStrongest = 4;  ///< gamma: how many steps of correlation there can be

/// dSprites(gamma), gamma = 0 ... 4: how the factors of the first gamma + 1 depend on one another.
extern const std::array<ConditionalStep, 4> kSteps;

/// Of selection = "published_text": c1 = [shape < 2].
inline constexpr DecidingConcept kDeciding = {0, 2};

/// Which images belong to dSprites(gamma).
enum class Selection {
  /// A row is kept where every factor is a multiple of its stride (fewer values of the factors that
  /// are still free, so that the size stays near 23,000 to 35,000), and where, for the first gamma
  /// steps, the value is one of those allowed for the value of the factor before: the lower set
  /// where that factor's own concept is 1.
  kConditional,
  /// As the authors' code does it, slips included: (1) for hearts, the shape's number (2) is looked
  /// up in the set of scales, so that hearts stay at all scales or vanish altogether; (2) a posX of
  /// 15 counts as high in the last step, and in labels posX and posY of 15 are high; (3) concepts
  /// but the shape's are worked out on the values that occur, renumbered: low is the first half of
  /// them.
  kPublishedCode,
};

/// The row numbers, ascending. sets: at least gamma of them, one for each step.
/// throws  std::invalid_argument: gamma outside 0 ... 4, or too few sets
std::vector<std::int64_t> select_rows(const FactorTable& table, std::int64_t gamma,
                                      std::span<const ConditionalSets> sets, Selection selection);

/// The label, 0 ... 7, that follows from the concepts c1 ... c5 = [shape < 2], [scale < 3],
/// [orientation < 20], [posX < 16], [posY < 16]:
///
///   kLeakage        (1 - c1)(4 + 2 c4 + c5) + c1 (2 c2 + c3)
///   kRobustMetrics  c1 ? 2 c2 + c4 : 4 + 2 c3 + c5
///   kMisspecified   kLeakage - (1 - c1) c3 c4 - c1 (c2 c5 + c3 c5 + c2 c4)
std::int64_t label(std::span<const std::uint8_t> concepts, LabelRule rule);

/// throws  std::invalid_argument: rows is empty
ConceptsAndLabels annotate(const FactorTable& table, std::span<const std::int64_t> rows,
                           LabelRule rule, Selection selection);

}  // namespace conoscope::datasets::dsprites
