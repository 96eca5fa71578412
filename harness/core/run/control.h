#pragma once

#include <string>

#include "conoscope/sdk/random.h"
#include "metrics/views.h"

namespace conoscope::core {

/// Turns an explanation into its randomised twin, in place.
///
///   none               as it is
///   random_importance  importances drawn from U[0, 1); concepts and psi stay
///   random_concepts    also every CAV replaced by a random unit vector (normalised N(0, 1)
///                      entries), and psi by the linear one: the explainer's own psi belongs to its
///                      own CAVs
///
///   random_model       as it is: it was made for another head, see redraw_head()
///   poisoned, noisy    as it is: it was fitted to samples that were moved, see
///                      metrics/faithfulness/attack/poisoned_samples.h
///
/// The number of concepts of each output stays. On the perfect explanation these are the Rand Imp
/// and Full Rand settings.
///
/// throws  std::invalid_argument: no such control
///
/// Source: Kumar & Ahuja, arXiv:2504.10833, appendix B.1.
void apply_control(metrics::Explanation& explanation, const std::string& control, sdk::Seed seed);

/// Draws a head anew, in place: what explainers are given under the control random_model.
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

}  // namespace conoscope::core
