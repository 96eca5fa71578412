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
/// The number of concepts of each output stays. On the perfect explanation these are the Rand Imp
/// and Full Rand settings.
///
/// throws  std::invalid_argument: no such control
///
/// Source: Kumar & Ahuja, arXiv:2504.10833, appendix B.1.
void apply_control(metrics::Explanation& explanation, const std::string& control, sdk::Seed seed);

}  // namespace conoscope::core
