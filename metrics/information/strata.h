// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/types.h"
#include "numerics/random.h"

namespace conoscope::metrics::detail {

/// One label for the values of several taken together.
///
/// columns  at least one, all of the same length n >= 1.
/// returns  n codes 0, 1, ..., each of which occurs.
IndexVector joint_label(std::span<const IndexVector> columns);

/// Permutations that leave a label as it is: samples change places with samples of the same one.
class PermutationWithin {
 public:
  /// order  the sequence in which the samples are shuffled. By the order of a scalar's values, what
  ///        is drawn does not depend on how the samples are listed.
  PermutationWithin(std::span<const Index> label, std::span<const std::int32_t> order);

  /// The next one: which sample takes the place of each.
  std::span<const std::int32_t> draw(numerics::Random& random);

 private:
  std::vector<std::vector<std::int32_t>> strata_, shuffled_;
  std::vector<std::int32_t> permutation_;
};

}  // namespace conoscope::metrics::detail
