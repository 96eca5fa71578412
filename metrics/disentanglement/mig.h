// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/disentanglement/code_information.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

struct Mig {
  double value = 0.0;
  std::vector<double> by_factor;  ///< of the factors that have more than one value
  IndexVector dropped;            ///< factors with one value: entropy 0
};

/// Mutual information gap: is each factor captured by one code and by no other?
///
///   MIG = mean over factors k of ( largest - second largest over codes j of I(j, k) ) / H(k)
///
/// information  see code_information
/// returns  [0, 1]; 1: each factor is in one code.
/// throws   std::invalid_argument: fewer than two codes, shapes that differ
///          std::domain_error: every factor has a single value
///
/// Source: Chen et al., NeurIPS 2018. A factor with one value is left out; disentanglement_lib
/// gives NaN then.
Mig mig(const CodeInformation& information);

/// mig with factors, too, in 20 equal-width bins: the value of mig where a factor has at most 20
/// equally spaced values.
///
/// throws   as code_information and mig
///
/// Source: Ross and Doshi-Velez, ICML 2021.
Mig mig_ross(const CodesAndFactors& sample);

namespace declare {
/// mig, mig_ross
std::vector<Metric> mig();
}  // namespace declare

}  // namespace conoscope::metrics
