#pragma once

#include "metrics/faithfulness/surf_tally.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

struct SurfLinearOptions {
  /// true: one n x D x C product with surf_weight. false: all n x D x sum K_c concept scores first,
  /// as Eq. 10 is written; the same number up to rounding, at K times the work.
  bool fold = true;
  SurfWanted wanted;
};

/// How faithful is a linear explanation, from pooled activations as they lie in memory?
///
/// The product, the bias and every measure are done for 512 rows at a time, so that surrogate
/// logits are scored while they are in the cache and never exist as a whole.
///
/// rows          pooled H, n x D, read in place. float32 rows are multiplied in float32; biases,
///               softmax and all sums are double.
/// explanation   C outputs, linear (no projection of its own).
/// bias          b, C.
/// model_logits  n x C, see model_logits.
/// returns       the tally of surf_surrogate's logits: exactly so for fold and float32 rows, else
///               up to the order in which a product sums.
/// throws        std::invalid_argument: shapes that disagree, n < 1, D < 1, C < 1, a projection, an
///               entry not finite
///               std::domain_error: all entries are finite, yet a surrogate logit overflows
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), Eq. 10 and the measures of surf_mae, surf_emd,
/// surf_top1 and surf_rank_corr.
SurfTally surf_linear(const MatrixRef& rows, const Explanation& explanation, const VectorRef& bias,
                      const MatrixRef& model_logits, const SurfLinearOptions& options = {});
SurfTally surf_linear(const MatrixRefF& rows, const Explanation& explanation, const VectorRef& bias,
                      const MatrixRef& model_logits, const SurfLinearOptions& options = {});

}  // namespace conoscope::metrics
