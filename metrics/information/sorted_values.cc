// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/sorted_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

// Length of the longest prefix of `sorted` on which `before` holds. Without branches: two searches
// of neighbouring samples then overlap, and none is mispredicted.
template <typename Before>
Index prefix(std::span<const double> sorted, const Before& before) {
  const double* base = sorted.data();
  auto length = static_cast<Index>(sorted.size());
  while (length > 1) {
    const Index half = length / 2;
    base += half * static_cast<Index>(before(base[half - 1]));
    length -= half;
  }
  return base - sorted.data() + static_cast<Index>(before(*base));
}

}  // namespace

SortedValues::SortedValues(const VectorRef& values)
    : values_(values.data(), values.data() + values.size()) {
  if (values_.empty()) numerics::refuse("SortedValues", "values is empty; n must be >= 1");
  if (values_.size() > static_cast<size_t>(std::numeric_limits<std::int32_t>::max()))
    numerics::refuse("SortedValues", "values has more than 2^31 - 1 entries");
  numerics::require_finite_vector("SortedValues", "values", values);
  std::vector<std::pair<double, std::int32_t>> pairs(values_.size());
  for (size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {values_[i] + 0.0, static_cast<std::int32_t>(i)};  // -0 and 0 are one value
  std::sort(pairs.begin(), pairs.end());
  sorted_.reserve(pairs.size());
  order_.reserve(pairs.size());
  for (const auto& [value, sample] : pairs) {
    sorted_.push_back(value);
    order_.push_back(sample);
  }
}

Index SortedValues::count_within(double centre, double radius) const {
  if (radius > 0.0)
    return prefix(sorted_, [=](double v) { return v - centre < radius; }) -
           prefix(sorted_, [=](double v) { return centre - v >= radius; });
  return prefix(sorted_, [=](double v) { return v <= centre; }) -
         prefix(sorted_, [=](double v) { return v < centre; });
}

std::vector<SortedValues> SortedValues::dealt(std::span<const Index> group, Index groups) const {
  std::vector<SortedValues> out(static_cast<size_t>(groups), SortedValues());
  std::vector<std::int32_t> number(values_.size());
  for (size_t i = 0; i < values_.size(); ++i) {
    std::vector<double>& values = out[static_cast<size_t>(group[i])].values_;
    number[i] = static_cast<std::int32_t>(values.size());
    values.push_back(values_[i]);
  }
  for (size_t place = 0; place < sorted_.size(); ++place) {
    const auto sample = static_cast<size_t>(order_[place]);
    SortedValues& mine = out[static_cast<size_t>(group[sample])];
    mine.sorted_.push_back(sorted_[place]);
    mine.order_.push_back(number[sample]);
  }
  return out;
}

std::vector<double> neighbour_distances(std::span<const double> sorted, Index k) {
  const auto n = static_cast<Index>(sorted.size());
  std::vector<double> out(sorted.size());
  const double* const v = sorted.data();
  for (Index p = 0; p < n; ++p) {
    // The k nearest and p itself are k + 1 values in a row.
    double best = std::numeric_limits<double>::infinity();
    for (Index low = std::max<Index>(0, p - k); low <= p && low + k < n; ++low)
      best = std::min(best, std::max(v[p] - v[low], v[low + k] - v[p]));
    out[static_cast<size_t>(p)] = best;
  }
  return out;
}

}  // namespace conoscope::metrics
