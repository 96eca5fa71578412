// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

/// The samples of one scalar in ascending order. Sorted once, it serves every pair that the scalar
/// is part of.
class SortedValues {
 public:
  /// values   n, finite. Ties keep the order of the samples.
  /// throws   std::invalid_argument: n < 1, a value not finite
  explicit SortedValues(const VectorRef& values);

  Index size() const { return static_cast<Index>(sorted_.size()); }
  std::span<const double> values() const { return values_; }      ///< in the order of the samples
  std::span<const double> sorted() const { return sorted_; }      ///< ascending
  std::span<const std::int32_t> order() const { return order_; }  ///< the sample at each place
  bool constant() const { return sorted_.front() == sorted_.back(); }

  /// How many samples, the one of value `centre` included, lie nearer than `radius` to it; of
  /// radius 0, how many are equal to it.
  ///
  /// Distances are |a - b| as the double that it is, so that what ties in a neighbour search ties
  /// here too.
  Index count_within(double centre, double radius) const;

  /// The samples of each group by themselves, numbered anew in their order. Nothing is sorted.
  ///
  /// group   n numbers in 0 ... groups - 1, each of which occurs.
  std::vector<SortedValues> dealt(std::span<const Index> group, Index groups) const;

 private:
  SortedValues() = default;

  std::vector<double> values_, sorted_;
  std::vector<std::int32_t> order_;
};

/// Distance of each sample to its k-th nearest other one.
///
/// sorted   ascending, n >= k + 1 values, k >= 1.
/// returns  n distances, in the same order.
std::vector<double> neighbour_distances(std::span<const double> sorted, Index k);

}  // namespace conoscope::metrics
