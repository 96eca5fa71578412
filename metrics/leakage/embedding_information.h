// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metrics/information/concept_information.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// What the embeddings w_i of a concept embedding model say about concepts and task. All by
/// mi_ross, normalised by plug-in entropies; no noise, and distances and counts agree (see
/// mi_ross), where the reference loses up to 0.2 in every value at its own width of 16.
struct EmbeddingInformation {
  Matrix concepts;           ///< k x k: I(w_i; c_j) / H(c_j)
  std::vector<double> task;  ///< I(w_i; y) / H(y)
  double mi_ct = 0.0;        ///< mean_i I(w_i; y) / H(y)
  double mi_self = 0.0;      ///< mean_i I(w_i; c_i) / H(c_i)
  double mi_ic = 0.0;        ///< mean over j < i of I(w_i; c_j) / H(c_j), the paper's; k = 1: 0
  double mi_ic_all = 0.0;    ///< mean over all i != j, the code's; the matrix is not symmetric
};

/// embeddings  n x (k * width), concept-major, finite. truth: n x k whole numbers. labels: n.
/// throws      std::invalid_argument: shapes that do not match, n < 1, an entry not finite, truth
///             not whole; as mi_ross
///             std::domain_error: a concept or the label constant; as mi_ross
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025, Eqs. 10-12.
EmbeddingInformation embedding_information(const MatrixRef& embeddings, Index width,
                                           const ConceptColumns& truth,
                                           std::span<const Index> labels,
                                           const KsgOptions& options = {});

/// Which embedding tells the label: the one that the sample's concept asks for, or the other?
struct Alignment {
  /// By concept: I(.; y_sub) / H(y_sub), the positive embedding where c = 1 (aligned) and where
  /// c = 0, the negative one where c = 0 (aligned) and where c = 1.
  std::vector<double> positive_aligned, positive_unaligned, negative_aligned, negative_unaligned;
  std::vector<double> concepts;  ///< by concept, aligned minus unaligned, positive plus negative
  double mi_align = 0.0;         ///< their mean, -2 ... 2
};

/// positive, negative  n x (k * width), concept-major, finite; truth n x k, 0 and 1; labels n.
/// Both sides of a concept are cut to their first m samples, m the size of the smaller one.
/// throws  std::invalid_argument: shapes that do not match, an entry not finite, truth not 0 or 1
///         std::domain_error: a concept constant, or the label constant on one side
///
/// Source: as above, Eq. 16; the cut is the code's, of which the text is silent.
Alignment mi_align(const MatrixRef& positive, const MatrixRef& negative, Index width,
                   const ConceptColumns& truth, std::span<const Index> labels,
                   const KsgOptions& options = {});

namespace declare {
/// mi_ct, mi_ic, mi_self and mi_align of concepts that are vectors.
std::vector<Metric> embedding_information();
}  // namespace declare

}  // namespace conoscope::metrics
