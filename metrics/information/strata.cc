// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/strata.h"

#include <algorithm>

#include "metrics/information/label_codes.h"

namespace conoscope::metrics::detail {

IndexVector joint_label(std::span<const IndexVector> columns) {
  IndexVector joint = label_codes("joint_label", "columns", columns.front()).code;
  for (const IndexVector& column : columns.subspan(1)) {
    const LabelCodes codes = label_codes("joint_label", "columns", column);
    const auto values = static_cast<Index>(codes.counts.size());
    for (size_t i = 0; i < joint.size(); ++i) joint[i] = joint[i] * values + codes.code[i];
    joint = label_codes("joint_label", "columns", joint).code;
  }
  return joint;
}

PermutationWithin::PermutationWithin(std::span<const Index> label,
                                     std::span<const std::int32_t> order)
    : permutation_(label.size()) {
  const LabelCodes codes = label_codes("PermutationWithin", "label", label);
  strata_.resize(codes.counts.size());
  for (const std::int32_t sample : order)
    strata_[static_cast<size_t>(codes.code[static_cast<size_t>(sample)])].push_back(sample);
  shuffled_ = strata_;
}

std::span<const std::int32_t> PermutationWithin::draw(numerics::Random& random) {
  for (size_t s = 0; s < strata_.size(); ++s) {
    random.shuffle(shuffled_[s]);
    for (size_t at = 0; at < strata_[s].size(); ++at)
      permutation_[static_cast<size_t>(strata_[s][at])] = shuffled_[s][at];
  }
  return permutation_;
}

}  // namespace conoscope::metrics::detail
