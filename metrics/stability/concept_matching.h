// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/peer_metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// One output's concepts as subspaces of the latent space, each with how much it matters. Of a
/// class-agnostic explanation there is one such set for all outputs.
struct ConceptSubspaces {
  std::vector<Matrix> bases;  ///< p x D, orthonormal rows
  IndexVector first;          ///< of each, the first of its CAVs, counted within the output
  /// Rows: concepts. Columns: one, or every output where the concepts are shared. |alpha|; of a
  /// subspace the norm of its alphas, which does not depend on the choice of its basis.
  Matrix importance;

  Index count() const { return static_cast<Index>(bases.size()); }
};

/// throws  NotApplicable: the heads differ, so directions of one latent space are none of the other;
///         std::invalid_argument: of other kinds, or numbers of outputs
void require_comparable(const CellExplanation& a, const CellExplanation& b);

/// The concepts of each output. A CAV of 0 is none: an explainer marks so what it did not find.
///
/// throws  std::invalid_argument: as CheckedExplanation; an explanation that keeps its CAVs to
///         itself; dimensions that do not add up to an output's CAVs
std::vector<ConceptSubspaces> concepts_of(const CellExplanation& found);

/// How much of one concept is in another?
///
///   s(a, b) = sqrt(sum_i cos^2 theta_i / max(p_a, p_b)),   theta_i the principal angles
///
/// For two vectors |cos|: a concept and its negative are the same direction. Dimensions that the
/// other one lacks count as right angles.
///
/// returns  K_a x K_b, in [0, 1]
/// throws   std::invalid_argument: widths D that differ
Matrix concept_similarity(const ConceptSubspaces& a, const ConceptSubspaces& b);

/// Which concept is which?
struct Match {
  Index a = 0, b = 0;
  double similarity = 0.0;
};

/// As many pairs as the smaller set has concepts, with the largest sum of similarities over all ways
/// to pair them: maximum-weight matching. In the order of the smaller set; empty where that is.
std::vector<Match> match_concepts(const Matrix& similarity);

}  // namespace conoscope::metrics
