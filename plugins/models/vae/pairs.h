// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conoscope/sdk/random.h"
#include "conoscope/sdk/tensor.h"

namespace conoscope::models {

/// Pairs of rows that differ in few generative factors.
///
/// For a row, a set of factors that may change is drawn: one factor, or with probability 1/2 as
/// many as a number drawn from 1 to F - 1 says (`changed` > 0: as many as that). The partner is any
/// other row that has the same values of all other factors; where there is none, as happens when
/// not every combination of values is there, one more factor may change, and so on. Factors with
/// one value in these rows are left out of account.
///
/// On a full grid this is the published sampling except for one thing: that draws new values that may
/// be the old ones, and a pair may be twice the same image.
/// Source: Locatello et al., ICML 2020, section 5 and its code in disentanglement_lib.
class Pairs {
 public:
  /// How many factors may change where `changed` is 0.
  enum class Changed {
    kOneOrMore,  ///< see above
    kAnyNumber  ///< drawn from 1 to F - 1: the pairs of Espinosa Zarlenga et al., AAAI 2023, of binary
                ///< concepts, which share 1 to k - 1 of them
  };

  /// factors  n x F, of all samples.  rows  those to draw from, at least two.
  /// throws   std::invalid_argument: not n x F, a value that is not finite, or too many values to
  ///          tell combinations apart (their numbers multiply to 2^63 or more)
  ///          std::domain_error: fewer than two rows, or every factor has one value
  ///          std::invalid_argument: `changed` is more than the factors that vary
  Pairs(const sdk::Tensor& factors, const std::vector<std::int64_t>& rows, std::int64_t changed,
        Changed number = Changed::kOneOrMore);

  /// The partner of rows[position], as a position in rows too.
  std::int64_t partner(std::int64_t position, sdk::Random& random);

  std::int64_t varying_factors() const { return static_cast<std::int64_t>(values_.size()); }

 private:
  /// The positions in an order in which those that agree outside `changing` stand together.
  struct Grouping {
    std::vector<std::int32_t> order, place, first, last;  ///< place, first, last: of a position
  };
  const Grouping& grouping(std::uint64_t changing);

  std::int64_t count_ = 0, changed_ = 0;
  Changed number_;
  std::vector<std::vector<std::int32_t>> values_;  ///< of each varying factor: 0 ... size - 1
  std::vector<std::uint64_t> sizes_;
  std::unordered_map<std::uint64_t, Grouping> groupings_;
};

}  // namespace conoscope::models
