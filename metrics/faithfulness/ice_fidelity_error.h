#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// By what fraction is the surrogate off within each class, as InvertibleCE's code counts it?
///
///   e_c = mean_{x: t(x) = c} |y_c - y^_c| / (|mean_{x: t(x) = c} y_c| + 1e-4)
///
/// model_logits, surrogate_logits  n x C, raw.
/// labels   t, one per sample, in 0 ... C-1.
/// returns  C values in [0, inf), 0: exact; -1 for a class without a sample.
/// throws   std::invalid_argument: n < 1, C < 1, shapes that differ, an entry not finite, another
///          number of labels than samples, a label outside 0 ... C-1
///
/// Source: Zhang et al., AAAI 2021 (ICE): the published code. The paper's own measure is
/// surf_norm_l1, which divides sample by sample.
Vector ice_fidelity_error(const MatrixRef& model_logits, const MatrixRef& surrogate_logits,
                          const IndexVector& labels);

}  // namespace conoscope::metrics
