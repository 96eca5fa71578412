#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// How a subject's codes and the generative factors belong together (group `disentanglement`):
/// mig, mig_ross, modularity, sap_discrete, sap_continuous, sap_ross, explicitness, dci_*
/// (gradient boosting), dci_forest_*, r4, factor_vae_score, beta_vae_score; see the functions of
/// these names, dci_boosting and dci_forest. Parts: values by factor; modularity and the
/// disentanglements by code.
///
/// subject  latent view and annotations.factors; seed. At most 15,000 rows are used, drawn by the
///          seed: two thirds to train, one third to test (as 10,000 and 5,000 in
///          disentanglement_lib). Factors with a single value are left out; those that are not
///          integers are brought into 20 equal-width bins, but for sap_continuous, sap_ross and r4.
///          The message says so.
/// returns  one Score per name, in the order of the catalogue. `not_applicable`: a view is missing,
///          too few codes, factors or samples. `undefined`: as the functions' std::domain_error;
///          DCI whose trees have no split (the forest's leaves of 500 need more than 1,600
///          samples).
/// throws   std::invalid_argument: numbers of samples that differ, an entry not finite
std::vector<Score> disentanglement_eval(const Views& subject);

namespace declare {
/// The rows of the group `disentanglement`.
std::vector<Metric> disentanglement();
}  // namespace declare

}  // namespace conoscope::metrics
