// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/subject.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct AlignedConcepts {
  ConceptView view;       ///< scores n x k, one column for each annotated concept; nothing else
  IndexVector alignment;  ///< k entries: which representation a concept's column is
};

/// Which representation stands for which annotated concept, where nobody has named them, as those
/// of an unsupervised explanation?
///
///   the matching of representations to concepts with the largest sum of |corr(c_hat_i, c_j)|;
///   a column whose correlation is negative changes its sign
///
/// scores  n x K', scalar representations, finite. truth: n x k, k <= K'; a constant on either side
///         correlates by 0.
/// throws  std::invalid_argument: shapes that differ, K' < k, n < 1, an entry not finite
///
/// Chosen here: the purity paper aligns by the AUC of trained networks (see
/// concept_alignment.h), which correlation does without training.
AlignedConcepts aligned_concepts(const MatrixRef& scores, const MatrixRef& truth);

/// A subject's concepts, one for each annotated one: the model's own, or where they have no names,
/// the aligned ones.
///
/// throws  NotApplicable: not as many concepts as annotated, too few to align, or the annotations
///         are not whole numbers; std::invalid_argument: as aligned_concepts
const ConceptView& named_concepts(const Subject& subject);

/// What the subject takes the concepts to be, n x k: scalar scores, or the probabilities of vectors.
/// throws  as named_concepts
const Matrix& predicted_concepts(const Subject& subject);

/// Does concept i of the view stand for annotated concept i? Scalar scores without probabilities are
/// an explanation's or an encoder's, whose order says nothing.
bool has_names(const ConceptView& view);

/// Were they named by alignment only? Then scores are no probabilities.
/// throws  as named_concepts
bool aligned_by_truth(const Subject& subject);

}  // namespace conoscope::metrics
