// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conoscope/sdk/random.h"
#include "metrics/views.h"

namespace conoscope::core {

/// Turns an explanation into its randomised twin, in place. A Control that
///
///   draws_importance  draws importances from U[0, 1); concepts and psi stay
///   draws_concepts    replaces every CAV by a random unit vector (normalised N(0, 1) entries), and psi
///                     by the linear one: the explainer's own psi belongs to its own CAVs
///
///   permutes_concepts gives concept j the CAV and importance of concept p(j), p one cycle through the
///                     concepts of an output but the constant ones; psi stays, and reconstruction takes
///                     code j along p(j)
///
/// Others leave it as it is: that of one that explains_anew() was made from something else.
///
/// The number of concepts of each output stays. On the perfect explanation these are the Rand Imp
/// and Full Rand settings.
///
/// throws  std::invalid_argument: no such control
///
/// Source: Kumar & Ahuja, arXiv:2504.10833, appendix B.1; permuted: arXiv:2605.18229.
void apply_control(metrics::Explanation& explanation, const std::string& control, sdk::Seed seed);

/// Draws a head anew, in place: what explainers are given under a control that redraws_head.
///
///   w'_c = s_c g_c,   g_c of N(0, 1) entries
///
/// with s_c > 0 and b'_c such that logit c keeps its mean and its standard deviation over the samples
/// at hand: the scale of every row and, roughly, how often each class is predicted. A logit that is
/// constant gets w'_c = 0.
///
/// head     of the last layer; activations, pooling and output stay.
/// throws   std::invalid_argument, std::domain_error: as metrics::model_logits
///
/// Source: Adebayo et al., Sanity Checks for Saliency Maps, NeurIPS 2018, who draw layers anew from
/// the last one down; this is the last one, and the scales are ours.
void redraw_head(metrics::HeadView& head, sdk::Seed seed);

/// The same of a layer below the last one, in place: every weight above it has been drawn anew.
///
///   y'_c = s_c g'_c(H) + t_c
///   W'_c = s_c mean_i sum_p d g'_c / d h_ip,   b'_c = mean_i (y'_ic - W'_c pool(H_i))
///
/// g' is the network drawn, y', W' and b' the logits and the reading that explainers are given; s_c >= 0
/// and t_c are such that logit c keeps its mean and its standard deviation, as in redraw_head().
///
/// head     of a layer below the last one; activations, pooling and output stay
/// above    the calls of g'
/// returns  those of y'
/// throws   what the calls throw
///
/// Source: the cascade of Adebayo et al., which draws layers from the last one down, with the layer that
/// is explained as its end. Reading: docs/adr/0014, ours.
metrics::HeadCalls redraw_reading(metrics::HeadView& head, const metrics::HeadCalls& above);

}  // namespace conoscope::core
