// SPDX-License-Identifier: Apache-2.0
#include "datasets/factorial/conditional_sets.h"

#include <numeric>
#include <stdexcept>
#include <string>

namespace conoscope::datasets {
namespace {

std::vector<std::int64_t> draw(int begin, int end, int count, sdk::Random& random) {
  std::vector<std::int64_t> pool(static_cast<std::size_t>(end - begin));
  std::iota(pool.begin(), pool.end(), begin);
  random.shuffle(pool);
  pool.resize(static_cast<std::size_t>(count));
  return pool;
}

}  // namespace

ConditionalSets::ConditionalSets(std::span<const std::int64_t> lower,
                                 std::span<const std::int64_t> upper, const ConditionalStep& step)
    : values_(step.values),
      allowed_(static_cast<std::size_t>(step.conditions * 2 * step.values), 0) {
  const auto wanted = static_cast<std::size_t>(step.conditions * step.count);
  if (lower.size() != wanted || upper.size() != wanted)
    throw std::invalid_argument("conditional sets: " + std::to_string(lower.size()) +
                                " lower and " + std::to_string(upper.size()) +
                                " upper values, expected " + std::to_string(wanted) + " of each");
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto condition = static_cast<std::int64_t>(i) / step.count;
    for (const bool low : {false, true}) {
      const std::int64_t value = low ? lower[i] : upper[i];
      if (value < 0 || value >= step.values)
        throw std::invalid_argument("conditional sets: value " + std::to_string(value) +
                                    ", expected 0 to " + std::to_string(step.values - 1));
      allowed_[static_cast<std::size_t>((condition * 2 + (low ? 1 : 0)) * step.values + value)] = 1;
    }
  }
}

std::vector<ConditionalSets> draw_conditional_sets(std::span<const ConditionalStep> steps,
                                                   sdk::Seed seed) {
  std::vector<ConditionalSets> sets;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ConditionalStep& step = steps[i];
    sdk::Random random(seed.child("conditional_sets").child(i));
    std::vector<std::int64_t> lower, upper;
    for (int a = 0; a < step.conditions; ++a) {
      const auto low = draw(0, step.lower_end, step.count, random);
      const auto high = draw(step.upper_begin, step.values, step.count, random);
      lower.insert(lower.end(), low.begin(), low.end());
      upper.insert(upper.end(), high.begin(), high.end());
    }
    sets.emplace_back(lower, upper, step);
  }
  return sets;
}

}  // namespace conoscope::datasets
