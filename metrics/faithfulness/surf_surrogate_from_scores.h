#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// What would the model answer, given the concept scores themselves? (for any psi)
///
///   s_c(x) = sum_k alpha_{c,k} psi_{c,k}(x) + b_c
///
/// scores      n x sum_c K_c; output c's scores are columns offset[c] ... offset[c+1]-1.
/// importance  alpha, sum_c K_c, in the order of the columns.
/// offset      C + 1 entries, ascending from 0.
/// bias        b, C.
/// returns     n x C; b_c alone where K_c = 0.
/// throws      std::invalid_argument: no sample or output, offsets that do not ascend from 0 to the
///             number of columns, sizes that disagree, an entry not finite
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), Eq. 10.
Matrix surf_surrogate_from_scores(const MatrixRef& scores, const VectorRef& importance,
                                  const IndexVector& offset, const VectorRef& bias);

}  // namespace conoscope::metrics
