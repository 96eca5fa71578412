// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// The share of samples whose prediction is their label.
/// throws  std::invalid_argument: n < 1, lengths that differ
double accuracy(std::span<const Index> labels, std::span<const Index> predictions);

/// F1 of each class that is a label or a prediction, and their mean.
///
///   F1_c = 2 TP_c / (2 TP_c + FP_c + FN_c)
///
/// returns  0 ... 1
/// throws   as accuracy
double f1_macro(std::span<const Index> labels, std::span<const Index> predictions);

struct ConceptAccuracy {
  std::vector<double> accuracy;  ///< by concept
  std::vector<double> f1;        ///< macro over absent and present, by concept
  std::vector<double> auc;       ///< of the probabilities, by concept; NaN where truth is constant
  /// What the code of Parisini et al. calls concept AUC: that of the thresholded predictions, the
  /// balanced accuracy; the accuracy where truth is constant.
  std::vector<double> auc_thresholded;
};

/// Does the model know which concepts a sample has?
///
/// probabilities  n x k, finite. truth: n x k, 0 and 1.
/// strict         whether a concept counts as present above 1/2 only (true) or from 1/2 on. The
///                reference does the first for one-column tasks and the second for all others.
/// throws         std::invalid_argument: shapes that differ, n < 1, k < 1, an entry not finite, a
///                truth other than 0 and 1
ConceptAccuracy concept_accuracy(const MatrixRef& probabilities, const MatrixRef& truth,
                                 bool strict = false);

/// The first of the largest outputs of each sample; of one column, whether it is above 1/2.
IndexVector predicted_classes(const MatrixRef& outputs);

namespace declare {
/// concept_accuracy, concept_f1 and concept_auc, means over concepts; task_accuracy, task_f1 (macro)
/// and task_auc (one class against one). Task outputs of two or more columns are logits, of one
/// column a probability.
std::vector<Metric> accuracy();
}  // namespace declare

}  // namespace conoscope::metrics
