#pragma once

#include <optional>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct RankCorr {
  double value = 0.0;                  ///< mean over all rows, undefined rows count 0
  std::optional<double> defined_mean;  ///< mean over the defined rows; none if there is none
  std::vector<double> rows;            ///< per sample; 0 where undefined
  IndexVector undefined_rows;
};

/// Does the surrogate rank the outputs as the model does?
///
///   rho(x) = Spearman's correlation over the C outputs, average ranks for ties
///   value  = 1/n sum_x rho(x),   rho(x) = 0 where a row is constant, so that rho is undefined
///
/// model_logits, surrogate_logits  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  value in [-1, 1], 1: same order in every sample; and which rows were undefined, because
///          a 0 that was counted for them must not pass for a measured one. One output (C = 1):
///          all.
/// throws   std::invalid_argument: n < 1, C < 1, shapes that differ, an entry not finite
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), Rank Corr. The paper does not say what a
/// constant row counts; 0, no agreement shown, is our choice.
RankCorr surf_rank_corr(const MatrixRef& model_logits, const MatrixRef& surrogate_logits);

}  // namespace conoscope::metrics
