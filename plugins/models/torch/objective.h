#pragma once

#include "plugins/models/torch/tensors.h"

namespace conoscope::models {

enum class Task { kClassification, kAttributes, kRegression };

/// What a classifier or regressor is to learn from a data set, and how far from it it is.
struct Objective {
  Task task;
  Tensor answers;      ///< classes n (int64), or targets n x C (float)
  Tensor shift, unit;  ///< regression: mean and standard deviation of the training targets, C
  std::int64_t outputs = 0;

  /// Cross entropy; binary cross entropy; or mean squared error in units of the training targets'
  /// standard deviation.
  Tensor loss(const Tensor& logits, const Tensor& rows) const;

  /// Accuracy (attributes: over all samples and attributes), or R^2 (mean over outputs). The
  /// outputs are the head's own.
  double score(const Tensor& outputs_of_rows, const Tensor& rows) const;

  const char* output() const;      ///< softmax, sigmoid or regression
  const char* score_name() const;  ///< test_accuracy or test_r2

  /// The linear head on standardised targets, folded back to the targets' own units; exact. Other
  /// tasks: unchanged.
  void restore_units(Tensor& weight, Tensor& bias) const;
};

/// From the arrays `labels` or `targets`, as the data set's `task` says.
/// throws  sdk::NotApplicable on a task without a loss, std::invalid_argument on bad labels
Objective read_objective(const sdk::Arrays& dataset, std::int64_t samples, const Tensor& train);

}  // namespace conoscope::models
