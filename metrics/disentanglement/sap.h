// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/factors/codes_and_factors.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// Separated attribute predictability by one of its published ways.
struct Sap {
  double value = 0.0;
  Matrix scores;                  ///< K' x K: how well code j alone predicts factor k
  std::vector<double> by_factor;  ///< best minus second best code
};

/// Is each factor predicted by one code much better than by any other?
///
///   SAP = mean over factors of (best - second best over codes of S(j, k))
///
/// sap_discrete    S = accuracy of a one-feature linear_svm (C = 0.01) trained on the training
///                 codes and asked for the test samples; disentanglement_lib's default. A factor's
///                 values are classes; a class that only the test samples have is always missed. A
///                 factor with a single training value is predicted by that value.
/// sap_20_80       sap_discrete on a sample as it stands: the first fifth of its rows, rounded up,
///                 trains. Of rows that are in an order it sees a part of the values.
/// sap_continuous  S = squared correlation of code and factor; 0 where a code's variance is at most
///                 1e-12; disentanglement_lib's other way, there over the training codes; the
///                 metric gives it all annotated rows.
/// sap_ross        S = the same SVM's accuracy on the data that it was trained on, for factors that
///                 is_categorical(); R^2 of a linear regression, which is the squared correlation,
///                 for others; 0 for a code of a single value. Ross and Doshi-Velez, ICML 2021.
///
/// codes    n x K', K' >= 2.   factors  n x K.
/// returns  [0, 1]. A binary factor has chance accuracy 0.5, so that the discrete gap hardly
///          exceeds 0.5 even for a perfect code.
/// throws   as CodesAndFactors and TrainAndTest; std::invalid_argument: K' < 2
///          std::domain_error (sap_continuous, sap_ross): a factor with a single value
///
/// Source: Kumar et al., ICLR 2018. sap_20_80: Espinosa Zarlenga et al., AAAI 2023, Table 1, code
/// c09d125.
Sap sap_discrete(const TrainAndTest& samples);
Sap sap_20_80(const CodesAndFactors& sample);
Sap sap_continuous(const CodesAndFactors& sample);
Sap sap_ross(const CodesAndFactors& sample);

/// Integers of at most 10 different values.
bool is_categorical(const VectorRef& factor);

namespace declare {
/// sap_discrete, sap_continuous, sap_ross; on request sap_20_80, of the rows in the dataset's order
std::vector<Metric> sap();
}  // namespace declare

}  // namespace conoscope::metrics
