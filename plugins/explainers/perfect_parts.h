// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/class_rows.h"

namespace conoscope::explainers {

/// An output's weight vector as a sum of k vectors that the head itself holds: what tells it from each of the
/// next k - 1 outputs, and what it shares with them.
///
///   a_j = (w_c - w_{c+j}) / k,  j = 1 ... k - 1,   a_k = (w_c + sum_j w_{c+j}) / k,   outputs counted in a circle
///
/// With k = 1 w_c itself. No part changes unless a logit does.
///
/// weight   C x D
/// k        1 ... C
/// returns  k x D
inline sdk::Matrix perfect_parts(const sdk::Matrix& weight, Eigen::Index c, Eigen::Index k) {
  sdk::Matrix parts(k, weight.cols());
  parts.row(k - 1) = weight.row(c);
  for (Eigen::Index j = 1; j < k; ++j) {
    const Eigen::Index other = (c + j) % weight.rows();
    parts.row(j - 1) = weight.row(c) - weight.row(other);
    parts.row(k - 1) += weight.row(other);
  }
  return parts / static_cast<double>(k);
}

/// perfect_parts() of every output as unit CAVs; a part of 0 keeps a CAV of 0.
///
/// importance  of a part, by its norm: called once for each, in order
/// throws      std::invalid_argument: k above C; NotApplicable: a flattened head
template <typename Importance>
void write_perfect_parts(const char* explainer, const sdk::HeadView& head, std::int64_t k,
                         sdk::ExplanationOut& out, const Importance& importance) {
  refuse_flattened(head, explainer);
  const sdk::Matrix weight = sdk::to_matrix(head.weight());
  if (k > weight.rows())
    throw std::invalid_argument(std::string(explainer) + ": k = " + std::to_string(k) +
                                ", but there are only " + std::to_string(weight.rows()) +
                                " outputs");
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(weight.rows()), k);
  auto explanation = out.class_specific(counts, weight.cols());
  auto cavs = sdk::as_matrix(explanation.cavs, weight.rows() * k, weight.cols());
  for (Eigen::Index c = 0; c < weight.rows(); ++c) {
    const sdk::Matrix parts = perfect_parts(weight, c, k);
    for (Eigen::Index j = 0; j < k; ++j) {
      const double norm = parts.row(j).norm();
      if (norm > 0.0) cavs.row(c * k + j) = parts.row(j) / norm;
      explanation.importance[static_cast<std::size_t>(c * k + j)] = importance(norm);
    }
  }
}

}  // namespace conoscope::explainers
