// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/vae/pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace conoscope::models {

namespace {

constexpr std::size_t kMostFactors = 63;
// Groupings are kept while they take less than this many bytes, then made anew.
constexpr std::size_t kMostMemory = std::size_t{1} << 29;

}  // namespace

Pairs::Pairs(const sdk::Tensor& factors, const std::vector<std::int64_t>& rows,
             std::int64_t changed, Changed number)
    : count_(static_cast<std::int64_t>(rows.size())), changed_(changed), number_(number) {
  if (factors.dimensions() != 2)
    throw std::invalid_argument("factors: " + factors.shape_text() + ", expected n x F");
  if (rows.size() < 2) throw std::domain_error("pairs need at least two training rows");
  const auto width = static_cast<std::size_t>(factors.shape(1));
  std::vector<double> all(static_cast<std::size_t>(factors.size()));
  factors.for_each([&all](std::int64_t i, double value) {
    if (!std::isfinite(value))
      throw std::invalid_argument("factors: value " + std::to_string(i) +
                                  " (row-major) is not finite");
    all[static_cast<std::size_t>(i)] = value;
  });
  double combinations = 1.0;
  for (std::size_t f = 0; f < width; ++f) {
    std::vector<double> column;
    for (const std::int64_t row : rows)
      column.push_back(all[static_cast<std::size_t>(row) * width + f]);
    std::vector<double> distinct = column;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() == 1) continue;
    sizes_.push_back(distinct.size());
    combinations *= static_cast<double>(distinct.size());
    values_.emplace_back();
    for (const double value : column)
      values_.back().push_back(
          static_cast<std::int32_t>(std::ranges::lower_bound(distinct, value) - distinct.begin()));
  }
  if (values_.empty())
    throw std::domain_error(
        "factors: each has one value in the training split, so no pair differs");
  if (values_.size() > kMostFactors || combinations >= 0x1p63)
    throw std::invalid_argument(
        "factors: their numbers of values multiply to 2^63 or more; pairs need factors of few "
        "values, so bin continuous ones");
  if (changed_ > varying_factors())
    throw std::invalid_argument("changed_factors is " + std::to_string(changed_) + ", but only " +
                                std::to_string(varying_factors()) + " factors vary");
}

const Pairs::Grouping& Pairs::grouping(std::uint64_t changing) {
  if (const auto found = groupings_.find(changing); found != groupings_.end()) return found->second;
  const auto count = static_cast<std::size_t>(count_);
  if ((groupings_.size() + 1) * count * 4 * sizeof(std::int32_t) > kMostMemory) groupings_.clear();

  std::vector<std::pair<std::uint64_t, std::int32_t>> keyed(count);
  for (std::size_t i = 0; i < count; ++i) keyed[i].second = static_cast<std::int32_t>(i);
  for (std::size_t f = 0; f < values_.size(); ++f) {
    if ((changing >> f & 1U) != 0) continue;
    for (std::size_t i = 0; i < count; ++i)
      keyed[i].first = keyed[i].first * sizes_[f] + static_cast<std::uint64_t>(values_[f][i]);
  }
  std::ranges::sort(keyed);

  Grouping made;
  for (auto* array : {&made.order, &made.place, &made.first, &made.last}) array->resize(count);
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && keyed[end].first == keyed[begin].first) ++end;
    for (std::size_t at = begin; at < end; ++at) {
      const auto position = static_cast<std::size_t>(keyed[at].second);
      made.order[at] = keyed[at].second;
      made.place[position] = static_cast<std::int32_t>(at);
      made.first[position] = static_cast<std::int32_t>(begin);
      made.last[position] = static_cast<std::int32_t>(end);
    }
  }
  return groupings_.emplace(changing, std::move(made)).first->second;
}

std::int64_t Pairs::partner(std::int64_t position, sdk::Random& random) {
  const std::size_t factors = values_.size();
  std::size_t wanted = changed_ > 0 ? static_cast<std::size_t>(changed_) : 1;
  if (changed_ == 0 && factors > 1) {
    const auto drawn = 1 + static_cast<std::size_t>(random.below(factors - 1));
    if (number_ == Changed::kAnyNumber || random.below(2) == 1) wanted = drawn;
  }
  std::vector<std::size_t> order(factors);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  std::uint64_t changing = 0;
  for (std::size_t used = 0; used < factors; ++used) {
    changing |= std::uint64_t{1} << order[used];
    if (used + 1 < wanted) continue;
    const Grouping& groups = grouping(changing);
    const auto at = static_cast<std::size_t>(position);
    const auto others = static_cast<std::uint64_t>(groups.last[at] - groups.first[at] - 1);
    if (others == 0) continue;
    // Any of the group but the row itself.
    auto chosen = groups.first[at] + static_cast<std::int32_t>(random.below(others));
    if (chosen >= groups.place[at]) ++chosen;
    return groups.order[static_cast<std::size_t>(chosen)];
  }
  throw std::logic_error("pairs: all rows are one group when every factor may change");
}

}  // namespace conoscope::models
