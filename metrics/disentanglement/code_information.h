// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/factors/codes_and_factors.h"
#include "metrics/subject.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What the codes tell about the factors, each pair by itself.
struct CodeInformation {
  Matrix mutual_information;  ///< K' x K, nats, >= 0
  Vector factor_entropy;      ///< K, nats
};

struct CodeInformationOptions {
  Index code_bins = 20;   ///< equal-width bins for every code
  Index factor_bins = 0;  ///< the same for factors; 0: their values as they are
};

/// How much does each binned code tell about each factor?
///
///   I(j, k) = sum over bins b and values v of p(b, v) log( p(b, v) / (p(b) p(v)) ), not below 0
///
/// throws   as CodesAndFactors; std::invalid_argument: code_bins < 1, factor_bins < 0
///
/// Source: the plug-in estimate of disentanglement_lib. With factor_bins = 20 it is the
/// two-dimensional histogram of Ross and Doshi-Velez, ICML 2021.
CodeInformation code_information(const CodesAndFactors& sample,
                                 const CodeInformationOptions& options = {});

/// Of a subject's sample, see latent_sample; derived once: subject.once(latent_information).
CodeInformation latent_information(const Subject& subject);

}  // namespace conoscope::metrics
