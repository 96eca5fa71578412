// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"
#include "numerics/whole_blocks.h"

namespace conoscope::explainers {

/// psi of a method's own, of the output's CAVs together; a row is rebuilt as sum_k scores_k v_k.
class CavProjection : public sdk::Projection, public sdk::Reconstruction {
 public:
  void project(const sdk::ExplanationIn& explanation, std::int64_t output, const sdk::Tensor& rows,
               std::span<double> scores) final {
    const sdk::Matrix cavs = cavs_of(explanation, output);
    if (cavs.rows() == 0 || rows.rows() == 0) return;
    sdk::as_matrix(scores, rows.rows(), cavs.rows()) = psi(sdk::to_matrix(rows), cavs);
  }

  void reconstruct(const sdk::ExplanationIn& explanation, std::int64_t output,
                   const sdk::Tensor& scores, std::span<double> rows) final {
    const sdk::Matrix cavs = cavs_of(explanation, output);
    sdk::as_matrix(rows, scores.rows(), cavs.cols()) = numerics::product_by_whole_blocks<double>(
        sdk::to_matrix(scores), sdk::Matrix(cavs.transpose()));
  }

 protected:
  /// rows  m x D; cavs  K_c x D; neither empty
  virtual sdk::Matrix psi(const sdk::Matrix& rows, const sdk::Matrix& cavs) const = 0;

 private:
  static sdk::Matrix cavs_of(const sdk::ExplanationIn& explanation, std::int64_t output) {
    const auto [first, last] = explanation.rows_of(output);
    return sdk::to_matrix(explanation.cavs()).middleRows(first, last - first);
  }
};

}  // namespace conoscope::explainers
