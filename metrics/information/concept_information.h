// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metrics/information/mi_ksg.h"
#include "metrics/information/mi_noise.h"
#include "metrics/information/sorted_values.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct ConceptInformationOptions {
  Index neighbours = 3;  ///< k of mi_ksg and mi_ross
  /// The reference's noise, see with_noise; empty: none, and ties count as what they are.
  Draws noise;
};

/// Whether every entry is a whole number, up to 1e-8 above one: then concepts count as labels.
///
/// The reference asks v mod 1 <= 1e-8 with a remainder in [0, 1), so 1 + 1e-9 passes and 1 - 1e-9
/// does not; one such entry sends all columns to the nearest-neighbour estimates. Here so does one
/// beyond 2^53, where every double is whole.
bool is_whole_valued(const MatrixRef& values);

/// The concepts of n samples, finite, with what every estimate starts from: that it exists is the
/// proof, so nobody who takes one looks again.
class ConceptColumns {
 public:
  /// values  n x k
  /// throws  std::invalid_argument: n < 1, no columns, an entry not finite
  ConceptColumns(Matrix values);  // NOLINT(google-explicit-constructor): columns are columns
  template <typename Derived>
  ConceptColumns(const Eigen::DenseBase<Derived>& values)  // NOLINT(google-explicit-constructor)
      : ConceptColumns(Matrix(values.derived())) {}

  const Matrix& matrix() const { return values_; }
  /// As is_whole_valued.
  bool whole() const { return !labels_.empty(); }
  /// By column; of whole ones only.
  const std::vector<IndexVector>& labels() const { return labels_; }
  /// By column; of all but whole ones.
  const std::vector<SortedValues>& sorted() const { return sorted_; }

 private:
  Matrix values_;
  std::vector<IndexVector> labels_;
  std::vector<SortedValues> sorted_;
};

/// What concepts say about each other.
struct InterconceptInformation {
  std::vector<double> pair;  ///< I(c_i; c_j), nats, in the order (0,1), (0,2), ..., (1,2), ...
  std::vector<double> self;  ///< H(c_i)
  std::vector<double> normalised;  ///< as pair: I(c_i; c_j) / (sqrt(H_i H_j) + 1e-10)
  Index tied = 0;  ///< the largest number of samples with k exact duplicates in one scalar
};

/// How much do a model's concepts say about each other?
///
///   all entries whole     I by mi_discrete, H by entropy_discrete
///   otherwise             I by mi_ksg,      H(c) = I(c; c) by mi_ksg
///
/// which of the two is decided once for the whole array. H of a continuous concept is no entropy:
/// without ties it is psi(n) - psi(k) whatever the concept, with noise psi(n) - psi(k + 1), and it
/// grows like ln n. Normalised values compare at equal n only.
///
/// concepts  n x (k * width); concept j is columns j*width ... j*width+width-1. Vectors
///           (width > 1) take mi_ksg between vectors. k = 1: no pairs, no values.
/// returns   a constant concept has H = 0 where it is discrete, so its normalised values are 0;
///           among continuous concepts it has I = H = 0 as well, and noise makes its normalised
///           values 0 or 1e7 and more at random: refused.
/// throws    std::invalid_argument: as ConceptColumns; columns that width does not divide, vectors
///           of whole numbers only; as mi_ksg
///           std::domain_error: noise, and a constant concept among continuous ones
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025, Sec. 3;
/// estimators and the 1e-10 as in its code, where the text says KSG for all.
InterconceptInformation mi_interconcept(const ConceptColumns& concepts,
                                        const ConceptInformationOptions& options = {},
                                        Index width = 1);

/// What concepts say about the task.
struct ConceptsTaskInformation {
  std::vector<double> mi;          ///< I(c_i; y), nats
  std::vector<double> normalised;  ///< I(c_i; y) / H(y)
  double label_entropy = 0.0;      ///< H(y), plug-in
  Index tied = 0;
};

/// How much does each concept say about the label?
///
///   all entries whole: mi_discrete; otherwise mi_ross; H(y) by entropy_discrete
///
/// concepts  n x k; labels: n.
/// throws    std::invalid_argument: as ConceptColumns; lengths that differ
///           std::domain_error: one label only, so H(y) = 0; as mi_ross
ConceptsTaskInformation mi_concepts_task(const ConceptColumns& concepts,
                                         std::span<const Index> labels,
                                         const ConceptInformationOptions& options = {});

}  // namespace conoscope::metrics
