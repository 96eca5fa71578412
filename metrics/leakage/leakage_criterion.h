// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"
#include "numerics/statistics/t_test.h"

namespace conoscope::metrics {

enum class LeakageVerdict {
  kCompatible,  ///< no detectable difference: absence of evidence, not evidence of absence
  kMoreInA,
  kMoreInB,
  kNotApplicable,  ///< one score says A, the other B
};

struct LeakageCriterion {
  LeakageVerdict verdict = LeakageVerdict::kCompatible;
  numerics::TTest ctl, icl;  ///< of A minus B, to be printed beside the verdict
};

/// Which of two model classes leaks more?
///
///   sign_s = sign(mean A_s - mean B_s) if Welch's two-sided p <= alpha, else 0;  s in {CTL, ICL}
///   more in A: no sign is -1 and one is +1;  more in B: mirrored;  both 0: compatible;
///   +1 and -1: the criterion does not apply
///
/// a_ctl, a_icl, b_ctl, b_icl  one value per trained model (the mean of its repeats), at least 2
/// alpha    in (0, 1); the two tests are not corrected for being two
/// throws   std::invalid_argument: fewer than 2 values, a value not finite, alpha outside
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, which states the
/// criterion in words; the tests are ours. It judges scores, not subjects: no row of the catalogue, but
/// `conoscope compare --leakage-criterion`.
LeakageCriterion leakage_criterion(const VectorRef& a_ctl, const VectorRef& a_icl,
                                   const VectorRef& b_ctl, const VectorRef& b_icl,
                                   double alpha = 0.05);

}  // namespace conoscope::metrics
