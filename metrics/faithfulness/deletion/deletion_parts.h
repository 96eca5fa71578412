// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "metrics/faithfulness/deletion/deletion_order.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Accuracies while parts of the inputs are deleted, concept after concept.
struct PartDeletion {
  std::vector<double> accuracy;     ///< K + 1: with 0, 1, ... K concepts deleted
  Matrix by_class;                  ///< (K + 1) x C; 1 for a class without a sample: none is wrong
  std::vector<Index> classes_lost;  ///< K + 1: classes that lost > 80 % of by_class's first row
};

/// m inputs -> m x C logits, each row of its own input.
using PartsModel = std::function<Matrix(const MatrixRef& inputs)>;

/// Proxy: how accurate is a model on inputs whose parts are painted over?
///
///   input^(k) = input, every part of one of the first k concepts of `order` set to `fill`
///
/// inputs      n x (parts * width): images (width 1: a grey pixel is a part) or embeddings.
/// concept_of  n * parts entries, part p of sample i at i * parts + p: which concept it belongs to.
/// order       K >= 1 concepts, the first is deleted first; parts of other concepts stay.
/// fill        width entries that replace a part, as 117/255 (ACE's grey) or a mean embedding.
/// labels      n, in 0 ... C-1.
/// model       asked for all samples, then, at each step, for those that it changes.
/// returns     a class is lost when its accuracy is below 20 % of what it was before any deletion;
///             one that was never right cannot be lost.
/// throws      std::invalid_argument: shapes that disagree, K < 1, an entry of inputs or fill not
///             finite, a label outside 0 ... C-1; the model answers with another number of rows
///             than it was asked for or of outputs than before, or an entry that is not finite
///
/// Source: Ghorbani et al., NeurIPS 2019 (ACE) and Graziani et al., 2023 (CDISCO, M1), as
/// classified in Kumar and Ahuja, arXiv 2504.10833, Table 1. Its objections: see deletion_concept.
PartDeletion deletion_parts(const MatrixRef& inputs, const IndexVector& concept_of,
                            const IndexVector& order, const VectorRef& fill,
                            const IndexVector& labels, const PartsModel& model);

/// The deletions of all classes, each on its own samples.
struct PartsOverClasses {
  MeanOverClasses auc;  ///< areas under the accuracies
  double lost = 0.0;    ///< classes lost, each counted by the share of its steps at which it is

  void add(const PartDeletion& of_class, Index samples);
  /// throws  std::domain_error: no class has both a concept and a sample
  double classes_lost() const;
};

}  // namespace conoscope::metrics
