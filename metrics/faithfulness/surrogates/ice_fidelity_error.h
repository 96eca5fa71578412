// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/measure.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// By what fraction is the surrogate off within each class, as InvertibleCE's code counts it?
///
///   e_c = mean_{x: t(x) = c} |y_c - y^_c| / (|mean_{x: t(x) = c} y_c| + 1e-4)
///
/// model, surrogate  n x C, raw.
/// labels   t, one per sample, in 0 ... C-1.
/// returns  a value in [0, inf), 0: exact, for each class in turn that has a sample.
/// throws   std::invalid_argument: shapes that differ, another number of labels than samples, a
///          label outside 0 ... C-1
///
/// Source: Zhang et al., AAAI 2021 (ICE): the published code. The paper's own measure is
/// surf_norm_l1, which divides sample by sample.
Vector ice_fidelity_error(const Logits& model, const Logits& surrogate, const IndexVector& labels);

/// The mean over the classes that have a sample; of any surrogate.
Measure ice_fidelity_error_measure();

}  // namespace conoscope::metrics
