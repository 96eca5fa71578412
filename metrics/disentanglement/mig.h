#pragma once

#include <vector>

#include "metrics/disentanglement/code_information.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Mig {
  double value = 0.0;
  std::vector<double> by_factor;  ///< of the factors that have more than one value
  IndexVector dropped;            ///< factors with one value: entropy 0
};

/// Mutual information gap: is each factor told by one code and by no other?
///
///   MIG = mean over factors k of ( largest - second largest over codes j of I(j, k) ) / H(k)
///
/// information  see code_information; bins for codes 20 (disentanglement_lib), for factors none
///              (disentanglement_lib) or 20 (Ross and Doshi-Velez: the same value where a factor
///              has at most 20 equally spaced values).
/// returns  [0, 1]; 1: each factor is in one code.
/// throws   std::invalid_argument: fewer than two codes, shapes that differ
///          std::domain_error: every factor has a single value
///
/// Source: Chen et al., NeurIPS 2018. A factor with one value is left out; disentanglement_lib
/// gives NaN then.
Mig mig(const CodeInformation& information);

}  // namespace conoscope::metrics
