// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/purity_matrix.h"

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/alignment/concept_alignment.h"
#include "metrics/purity/ois.h"

namespace conoscope::metrics {

namespace {

SummaryTable beside_ideal(const Subject& subject) {
  const PurityMatrices& m = subject.once(purity_matrices);
  const Index k = m.oracle.cols();
  const bool as_it_stands = m.purity.rows() == k && has_names(subject.concepts());
  const Matrix own = as_it_stands ? m.purity : aligned_rows(m.purity, m.optimal);
  SummaryTable out{{}, m.caveat};
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j)
      out.add({static_cast<double>(as_it_stands ? i : m.optimal[static_cast<std::size_t>(i)]),
               static_cast<double>(i), static_cast<double>(j), own(i, j), m.oracle(i, j)});
  return out;
}

}  // namespace

Summary declare::purity_matrix() {
  return {.name = "purity_matrix",
          .question =
              "How well does each representation predict each concept, and how well do the "
              "concepts predict each other?",
          .source = "Espinosa Zarlenga et al., AAAI 2023, Def. 2 and 3",
          .needs = {"concept_view", "concepts"},
          .columns = {"representation", "stands_for", "concept", "auc", "ideal"},
          .compute = beside_ideal};
}

}  // namespace conoscope::metrics
