// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::datasets {

/// Which value every generative factor has in every image: class indices, 0 ... size - 1.
struct FactorTable {
  std::vector<int> sizes;             ///< how many values each factor has, at most 256
  std::vector<std::uint8_t> classes;  ///< rows x factors

  std::int64_t rows() const { return static_cast<std::int64_t>(classes.size() / sizes.size()); }
  std::span<const std::uint8_t> row(std::int64_t i) const {
    return std::span(classes).subspan(static_cast<std::size_t>(i) * sizes.size(), sizes.size());
  }
};

/// How a label follows from the concepts; see each dataset's label().
enum class LabelRule {
  kLeakage,        ///< the paper on leakage and both papers' code
  kRobustMetrics,  ///< the text of the paper on robust metrics
  kMisspecified,   ///< kLeakage less products of concepts: a task that no linear head fits
};

/// Concepts and labels of some rows.
struct ConceptsAndLabels {
  std::vector<std::uint8_t> concepts;  ///< rows x factors, 0 or 1
  std::vector<std::int64_t> labels;
};

/// Every combination once, the last factor fastest.
FactorTable every_combination(std::vector<int> sizes);

/// How far apart the values of each factor are that a grid keeps: {1, 2, 5, 4, 4}; none: all 1.
///
/// throws  std::invalid_argument, naming `parameter`: not one whole number for each factor, or one
///         that is not from 1 to the factor's size
std::vector<int> checked_strides(std::span<const std::int64_t> every, std::span<const int> sizes,
                                 const std::string& parameter);

/// The rows, ascending, whose values are multiples of their strides, and that are allowed at each of so
/// many steps.
std::vector<std::int64_t> rows_on_strides(
    const FactorTable& table, std::span<const int> strides, std::int64_t steps = 0,
    const std::function<bool(std::span<const std::uint8_t> row, std::size_t step)>& allowed = {});

/// The values of each factor that occur in some rows, and grids among them.
class FactorGrid {
 public:
  FactorGrid(const FactorTable& table, std::span<const std::int64_t> rows);

  /// Is each of a row's values, counted among those that occur, a multiple of its stride?
  bool is_on(std::span<const std::uint8_t> row, std::span<const int> strides) const;
  /// Of the values on the strides.
  std::int64_t combinations(std::span<const int> strides) const;

 private:
  std::vector<std::vector<int>> place_;  ///< of each value among those that occur; -1: it does not
  std::vector<int> occurring_;
};

}  // namespace conoscope::datasets
