#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// The measures that sparse autoencoders are judged by, on any explanation, and completeness:
///
///   sae_reconstruction_error  see reconstruction_error
///   sae_downstream_kl         KL(softmax(y) || softmax(y^)), nats (see softmax_divergence), y^ the
///                             logits of rebuilt embeddings (see ice_eval_surrogate)
///   sae_downstream_ce         mean_x log p_t - log q_t, t the label: by how many nats the cross
///                             entropy with the true class rises through rebuilding (delta loss)
///   plausibility              see plausibility
///   completeness              accuracy above chance that SURF's surrogate keeps (see
///   completeness);
///                             that of C-SHAP's network is c_shap_eval_..._completeness
///
/// subject  head and explanation; annotations.labels for sae_downstream_ce and completeness.
/// returns  one Score per name, in this order. `not_applicable`: a missing view or missing labels;
///          a flatten head for reconstruction_error and plausibility; a head that is not softmax
///          for kl, ce and completeness; CAVs that a projection keeps to itself for plausibility.
///          `undefined`: embeddings or weights all 0, a model at chance.
/// throws   as model_logits, surf_surrogate, ice_eval_surrogate and reconstruction_error
///
/// Source: Kumar and Ahuja, arXiv 2504.10833, App. A and Eq. 8.
std::vector<Score> sae_eval(const Views& subject);

namespace declare {
/// The rows of the group `sae_eval`.
std::vector<Metric> sae_eval();
}  // namespace declare

}  // namespace conoscope::metrics
