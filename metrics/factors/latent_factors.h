// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metrics/subject.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// A subject's codes and the generative factors that vary, of the same samples and finite: what
/// the metrics of disentanglement and interventional robustness are computed from.
struct LatentFactors {
  Matrix codes;          ///< n x K'
  Matrix factors;        ///< n x K: as annotated
  Matrix binned;         ///< n x K: factors that are not integers in 20 equal-width bins
  IndexVector constant;  ///< factors of a single value, which are left out
  std::string caveat;    ///< which factors were left out, which were binned; empty: none
};

/// Derived once: subject.once(latent_factors).
/// throws  std::invalid_argument: numbers of rows that differ, no columns, an entry not finite
LatentFactors latent_factors(const Subject& subject);

}  // namespace conoscope::metrics
