// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace conoscope::datasets {

/// Where a hand-crafted representation puts the value of one concept: [low, high).
struct Interval {
  double low, high;
};

/// A concept that is present lies in [0.95, 1), one that is absent in [0, 0.05). Pure: anywhere in
/// it. Impure: in one of 2^(k-1) equal tiles of it, the one whose number is spelt by the other
/// concepts (in their order, the first one is the most significant bit), so that every value tells
/// all concepts, though none is misread.
///
/// concepts  0 or 1 each, k of them, 2 <= k <= 30
/// concept   which one's value is to be placed, 0 ... k-1
/// throws    std::invalid_argument: k outside its range, or concept not below k
///
/// Source: Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation,
/// AAAI 2023, section 5.1 and Table 1.
inline Interval concept_interval(std::span<const std::int64_t> concepts, std::size_t concept_index,
                                 bool impure) {
  const std::size_t k = concepts.size();
  if (k < 2 || k > 30)
    throw std::invalid_argument("concept_interval: " + std::to_string(k) +
                                " concepts, expected 2 to 30");
  if (concept_index >= k)
    throw std::invalid_argument("concept_interval: concept " + std::to_string(concept_index) +
                                " of " + std::to_string(k));
  constexpr double kWidth = 0.05;
  const double low = concepts[concept_index] != 0 ? 1.0 - kWidth : 0.0;
  const double high = concepts[concept_index] != 0 ? 1.0 : kWidth;
  if (!impure) return {low, high};
  std::uint64_t tile = 0;
  for (std::size_t j = 0; j < k; ++j)
    if (j != concept_index) tile = 2 * tile + (concepts[j] != 0 ? 1 : 0);
  const double step = kWidth / static_cast<double>(std::uint64_t{1} << (k - 1));
  return {low + static_cast<double>(tile) * step, low + static_cast<double>(tile + 1) * step};
}

}  // namespace conoscope::datasets
