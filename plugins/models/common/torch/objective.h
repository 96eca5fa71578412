// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/models/common/task/task.h"
#include "plugins/models/common/torch/tensors.h"

namespace conoscope::models {

struct LossOptions {
  double label_smoothing =
      0.0;                ///< Szegedy et al., CVPR 2016: 1 - s + s / C for the label, s / C else
  bool absolute = false;  ///< regression
};

/// What a classifier or regressor is to learn from a dataset, and how far from it it is.
struct Objective : TaskAnswers {
  Tensor answers;      ///< classes n (int64), or targets n x C (float)
  Tensor shift, unit;  ///< regression: mean and standard deviation of the training targets, C

  /// Cross entropy; binary cross entropy; or the mean squared (absolute) error in units of the training
  /// targets' standard deviation.
  Tensor loss(const Tensor& logits, const Tensor& rows, const LossOptions& options = {}) const;

  /// TaskAnswers::score() of tensors. The outputs are the head's own.
  double score(const Tensor& outputs_of_rows, const Tensor& rows) const;

  /// The linear head on standardised targets, folded back to the targets' own units; exact. Other
  /// tasks: unchanged.
  void restore_units(Tensor& weight, Tensor& bias) const;
};

/// As read_answers().
Objective read_objective(const sdk::Arrays& dataset, std::int64_t samples, const Tensor& train);

}  // namespace conoscope::models
