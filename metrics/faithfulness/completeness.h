#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// Which fraction of samples gets its label? argmax of the logits, ties: the lowest index.
///
/// logits   n x C.   labels  one per sample, in 0 ... C-1.
/// throws   std::invalid_argument: n < 1, C < 1, an entry not finite, another number of labels than
///          samples, a label outside 0 ... C-1
double accuracy(const MatrixRef& logits, const IndexVector& labels);

/// What part of the model's accuracy above chance does its surrogate keep?
///
///   (acc(surrogate) - a_r) / (acc(model) - a_r),   a_r = 1 / C
///
/// model_logits, surrogate_logits  n x C.   labels  the true classes.
/// returns  1: all of it, 0: chance; negative below chance, above 1 where the surrogate is right
///          more often than the model.
/// throws   std::invalid_argument: as accuracy, shapes that differ
///          std::domain_error: the model's accuracy is chance, so there is nothing to keep
///
/// Source: Yeh et al., NeurIPS 2020 (ConceptSHAP, completeness), as Kumar and Ahuja,
/// arXiv 2504.10833, Eq. 8, which prints a_r subtracted from sums; accuracies are meant.
double completeness(const MatrixRef& model_logits, const MatrixRef& surrogate_logits,
                    const IndexVector& labels);

}  // namespace conoscope::metrics
