// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/leakage_criterion.h"

#include <string>

#include "numerics/checks.h"
#include "numerics/statistics/sample_checks.h"

namespace conoscope::metrics {

LeakageCriterion leakage_criterion(const VectorRef& a_ctl, const VectorRef& a_icl,
                                   const VectorRef& b_ctl, const VectorRef& b_icl, double alpha) {
  constexpr const char* kName = "leakage_criterion";
  if (!(alpha > 0.0 && alpha < 1.0))
    numerics::refuse(kName, "alpha is " + std::to_string(alpha) + ", not between 0 and 1");
  numerics::require_sample(kName, "a_ctl", a_ctl, 2);
  numerics::require_sample(kName, "a_icl", a_icl, 2);
  numerics::require_sample(kName, "b_ctl", b_ctl, 2);
  numerics::require_sample(kName, "b_icl", b_icl, 2);
  LeakageCriterion result;
  result.ctl = numerics::welch_t_test(a_ctl, b_ctl, 1.0 - alpha);
  result.icl = numerics::welch_t_test(a_icl, b_icl, 1.0 - alpha);
  const auto sign = [alpha](const numerics::TTest& test) {
    return test.p > alpha ? 0 : test.difference > 0.0 ? 1 : -1;
  };
  const int ctl = sign(result.ctl), icl = sign(result.icl);
  if (ctl * icl == -1)
    result.verdict = LeakageVerdict::kNotApplicable;
  else if (ctl + icl != 0)
    result.verdict = ctl + icl > 0 ? LeakageVerdict::kMoreInA : LeakageVerdict::kMoreInB;
  return result;
}

}  // namespace conoscope::metrics
