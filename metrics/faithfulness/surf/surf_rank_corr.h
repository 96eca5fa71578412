// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// Does the surrogate rank the outputs as the model does?
///
///   rho(x) = Spearman's correlation over the C outputs, average ranks for ties
///   value  = 1/n sum_x rho(x),   rho(x) = 0 where a row is constant, so that rho is undefined
///
/// model, surrogate  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  value in [-1, 1], 1: same order in every sample. parts: rho(x), 0 where undefined; a
///          caveat says in how many samples, because a 0 that was counted must not pass for a
///          measured one.
/// throws   std::invalid_argument: shapes that differ
///          std::domain_error: one output (C = 1), which cannot be ranked
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), Rank Corr. The paper does not say what a
/// constant row counts; 0, no agreement shown, is our choice.
Result surf_rank_corr(const Logits& model, const Logits& surrogate);

/// In which samples are the model's or the surrogate's outputs all equal, so that rho is undefined?
///
/// returns  value: their number; parts: none. One output (C = 1): all samples.
/// throws   std::invalid_argument: shapes that differ
Result surf_rank_corr_undefined(const Logits& model, const Logits& surrogate);

/// Of any surrogate.
Measure surf_rank_corr_measure();
Measure surf_rank_corr_undefined_measure();

}  // namespace conoscope::metrics
