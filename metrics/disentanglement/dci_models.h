// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/factors/codes_and_factors.h"
#include "metrics/types.h"
#include "numerics/gradient_boosting.h"

namespace conoscope::metrics {

struct Metric;
class Subject;

struct DciFit {
  Matrix importance;  ///< K' x K: dci_disentanglement and dci_completeness are made from it
  Vector by_factor;   ///< informativeness of each factor, on test or unseen rows
  double informativeness = 0.0;        ///< their mean; higher is better
  double informativeness_train = 0.0;  ///< on the training rows; forest: 0, it has none
};

/// DCI by gradient boosting: one classifier per factor on all codes, its importances and
/// accuracies.
///
/// codes    n x K', K' >= 2.   factors  n x K, K >= 2: their values are classes, those of the
///          training rows; a test value never seen in training is missed. A factor with a single
///          training value has no classifier: it is predicted by that value and has no importance.
/// throws   as TrainAndTest; std::invalid_argument: fewer than two codes or factors
///
/// Source: disentanglement_lib's dci, which calls the accuracies errors.
DciFit dci_boosting(const TrainAndTest& samples, const numerics::BoostingOptions& options = {});

struct DciForestOptions {
  Index trees = 50;
  /// Of the rows, the least in a leaf: the paper's 500 of the 737,280 images of dSprites. A leaf of 500
  /// among fewer rows cuts a factor's values into fewer groups, and caps what can be explained.
  double min_leaf_share = 500.0 / 737280.0;
  Index min_leaf = 0;  ///< the same as a number of rows; 0: by the share, rounded, at least 1
  std::uint64_t seed = 0;
};

/// DCI by a random forest: one regressor per factor; informativeness is the out-of-bag R^2.
///
/// Very noisy for few samples (standard deviation of D 0.037 over seeds at n = 5000, min_leaf 500).
/// throws   std::invalid_argument: as dci_boosting and random_forest; min_leaf_share is not in (0, 1];
///          min_leaf < 0
///          std::domain_error: a factor with a single value
///
/// Source: Suter et al., ICML 2019, appendix D.
DciFit dci_forest(const CodesAndFactors& sample, const DciForestOptions& options = {});

struct ExchangedDci {
  Matrix importance;  ///< K x K': rows are factors
  Vector r2;          ///< of each code, on the test rows; 0 where its test values are all the same
};

/// DCI with codes and factors exchanged: one boosted regressor per code on all factors. Its
/// dci_disentanglement asks whether each factor matters for one code only.
///
/// codes, factors  as dci_boosting, but codes may be any numbers
/// throws   as dci_boosting
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, Table 1, whose code calls Ross and Doshi-Velez's DCI
/// with the concepts in the place of the codes.
ExchangedDci dci_exchanged(const TrainAndTest& samples,
                           const numerics::BoostingOptions& options = {});

/// Of a subject's sample, see latent_sample; derived once: subject.once(latent_forest).
/// throws   std::domain_error: no tree has a split; NotApplicable, as latent_sample
DciFit latent_forest(const Subject& subject);

namespace declare {
/// By gradient boosting  dci_disentanglement  dci_completeness  dci_informativeness
/// By boosted regressors, exchanged  dci_exchanged, on 90 % of the rows
/// By a random forest    dci_forest_disentanglement  dci_forest_completeness
///                       dci_forest_informativeness; with min_leaf, leaves of so many rows
std::vector<Metric> dci_models();
}  // namespace declare

}  // namespace conoscope::metrics
