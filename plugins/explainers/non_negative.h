#pragma once

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"
#include "numerics/whole_blocks.h"

namespace conoscope::explainers {

/// throws  NotApplicable: an activation is negative, which a non-negative factorisation cannot
///         rebuild
inline void refuse_negative(const std::string& method, const sdk::Tensor& activations) {
  activations.for_each([&](std::int64_t i, double value) {
    if (value < 0.0)
      throw sdk::NotApplicable(
          method + ": needs non-negative activations, as after a ReLU; entry " + std::to_string(i) +
          " of the " + activations.shape_text() + " activations is " + std::to_string(value));
  });
}

/// The concepts of one output, K_c x D.
inline sdk::Matrix cavs_of(const sdk::ExplanationIn& explanation, std::int64_t output) {
  const auto [first, last] = explanation.rows_of(output);
  return sdk::to_matrix(explanation.cavs()).middleRows(first, last - first);
}

/// sum_k scores_k v_k.
inline void rebuild(const sdk::ExplanationIn& explanation, std::int64_t output,
                    const sdk::Tensor& scores, std::span<double> rows) {
  const sdk::Matrix cavs = cavs_of(explanation, output);
  sdk::as_matrix(rows, scores.rows(), cavs.cols()) = numerics::product_by_whole_blocks<double>(
      sdk::to_matrix(scores), sdk::Matrix(cavs.transpose()));
}

}  // namespace conoscope::explainers
