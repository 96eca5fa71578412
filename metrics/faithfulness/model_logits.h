// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// What does the model itself answer? (what a surrogate must match) Of a layer below the last one: the
/// logits that the head view holds; of the last one what its head reads there:
///
///   kMean     y_c = <w_c, mean_j h_j> + b_c
///   kNone     y_c = <w_c, h> + b_c                 one position only
///   kFlatten  y_c = sum_j <w_{c,j}, h_j> + b_c     one weight vector per position j
///
/// head     H (n * P) x D; W C x D, or C x (P * D) for kFlatten; b C.
/// returns  n x C, raw: no softmax, no sigmoid.
/// throws   std::invalid_argument: no sample, position, feature or output; shapes that disagree;
///          kNone with P > 1 (unpooled positions make no logit); an entry of H, W, b or the logits
///          not finite (named with its row, column and value)
///          std::domain_error: all entries are finite, yet a logit overflows
///
/// Source: Kumar and Ahuja, arXiv 2504.10833, Sec. 5.1.
Matrix model_logits(const HeadView& head);

/// What the head reads in the activations, by the formula above, whatever the layer. Below the last
/// one that is not what the model answers.
///
/// throws   as model_logits
Matrix head_reading(const HeadView& head);

/// Of rows that are pooled already: n x D, C x D and C give n x C. Rows are read where they lie.
Matrix model_logits(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias);

}  // namespace conoscope::metrics
