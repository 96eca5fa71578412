#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// What a concept model's concepts tell beyond what they stand for, and how right it is:
///
///   ctl, icl, icl_ij        see ctl_icl.h, without noise; parts: CTL_i, ICL_i, ICL_ij by pair. The
///                           value of icl_ij is the largest pair's
///   ctl_noise, icl_noise    the same with the reference's noise, mean of five repeats drawn from
///                           the subject's seed; only where ties leave the first two undefined
///   mi_ct, mi_ic, mi_self   see embedding_information.h; parts by concept, for mi_ic by pair
///                           (row w_i, column c_j, k x k)
///   mi_align                the same, of the embeddings of present and absent concepts; by concept
///   concept_accuracy, concept_f1, concept_auc      means over concepts; parts by concept
///   task_accuracy, task_f1, task_auc               F1 is the macro mean, AUC one class against one
///
/// subject  concepts and annotations.concepts (whole numbers, as many as the model's); labels for
///          ctl, mi_ct and the task. Scalar concepts are judged by their scores (0 and 1 of a hard
///          model, probabilities or logits), vectors by their probabilities. Task outputs of two or
///          more columns are logits, of one column a probability. Scalar scores without
///          probabilities are an explanation's: they are aligned first (aligned_concepts.h), and
///          concept_auc is of the aligned scores.
/// returns  one Score per name, in this order. `not_applicable`: a missing view or annotation.
///          `undefined`: one class or concept value only; ties so many that a concept says nothing
///          about itself, where a leakage of 0 would be an artefact of the estimate.
/// throws   std::invalid_argument: as the functions named
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025.
std::vector<Score> leakage(const Views& subject);

namespace declare {
/// The rows of the group `leakage`.
std::vector<Metric> leakage();
}  // namespace declare

}  // namespace conoscope::metrics
