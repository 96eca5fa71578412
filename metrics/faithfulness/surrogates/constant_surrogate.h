// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/logits.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// What can a surrogate score that gives all inputs one answer? A trained surrogate that scores no more
/// has collapsed.
struct ConstantSurrogate {
  double top1 = 0.0;         ///< of the most frequent prediction
  double emd_one_hot = 0.0;  ///< of certainty of it
  double emd_mean = 0.0;     ///< of the mean probabilities
  double mae = 0.0;          ///< of each logit's median, which is the best there is
};

/// model    n x C, raw
/// throws   std::invalid_argument: one output
///
/// Source: ours, to read Table 3 of Kumar and Ahuja, arXiv 2504.10833.
ConstantSurrogate constant_surrogate(const Logits& model);

namespace declare {
/// constant_top1, constant_emd, the smaller of the two, and constant_mae.
std::vector<Metric> constant_surrogate();
}  // namespace declare

}  // namespace conoscope::metrics
