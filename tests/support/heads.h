// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/views.h"
#include "tests/support/explanations.h"
#include "tests/support/logits.h"

namespace conoscope::tests {

/// A head over random activations >= 0, as after a ReLU.
inline metrics::HeadView random_head(metrics::Index samples, metrics::Index positions,
                                     metrics::Index width, metrics::Index outputs,
                                     metrics::Pooling pooling, std::uint64_t seed = 1) {
  metrics::HeadView head;
  head.activations = normal_matrix(samples * positions, width, seed).cwiseMax(0.0);
  head.positions = positions;
  const bool flatten = pooling == metrics::Pooling::kFlatten;
  head.weight = normal_matrix(outputs, flatten ? positions * width : width, seed + 1);
  head.bias = normal_matrix(outputs, 1, seed + 2);
  head.pooling = pooling;
  return head;
}

/// change(rows) on a copy of the activations, which the head then has.
inline void change_activations(metrics::HeadView& head, const auto& change) {
  metrics::Matrix rows = head.activations.all();
  change(rows);
  head.activations = rows;
}

/// K CAVs for each of C outputs, normal entries; linear.
inline metrics::Explanation normal_explanation(metrics::Index outputs, metrics::Index concepts,
                                               metrics::Index width, std::uint64_t seed = 9) {
  metrics::Explanation explanation;
  explanation.cavs = normal_matrix(outputs * concepts, width, seed);
  explanation.importance = normal_matrix(outputs * concepts, 1, seed + 1);
  for (metrics::Index c = 0; c <= outputs; ++c) explanation.offset.push_back(c * concepts);
  return explanation;
}

/// The same CAVs with psi = max(0, V h): class-specific.
inline metrics::Explanation rectified(metrics::Explanation explanation) {
  explanation.project = [cavs = explanation.cavs, offset = explanation.offset](
                            metrics::Index c, const metrics::MatrixRef& rows) -> metrics::Matrix {
    const metrics::Index begin = offset[static_cast<size_t>(c)];
    const metrics::Index count = offset[static_cast<size_t>(c) + 1] - begin;
    return (rows * cavs.middleRows(begin, count).transpose()).cwiseMax(0.0);
  };
  return explanation;
}

}  // namespace conoscope::tests
