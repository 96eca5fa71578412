// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "metrics/types.h"

namespace conoscope::metrics {
class Subject;
}

namespace conoscope::metrics::detail {

/// True concepts as labels, one vector per concept.
struct ConceptLabels {
  std::vector<IndexVector> of;  ///< k x n
  IndexVector cardinality;      ///< largest label + 1, at least 2

  Index concepts() const { return static_cast<Index>(of.size()); }
  Index samples() const { return of.empty() ? 0 : static_cast<Index>(of[0].size()); }
  bool binary() const;
};

/// Reads n x k whole numbers >= 0.
///
/// throws  std::invalid_argument: n < 1, k < 2, an entry that is no whole number in 0 ... 10^6
///         std::domain_error: a concept that is constant
ConceptLabels concept_labels(std::string_view function, const MatrixRef& concepts);

/// Representations c_hat, n x (k' * width), of as many samples.
/// throws  std::invalid_argument: another n, columns that are no multiple of width, not finite
void require_representations(std::string_view function, const MatrixRef& c_hat, Index width,
                             Index samples);

/// 80 % of the samples to train on, 20 % (rounded up) to test on, in random order.
struct TrainTest {
  IndexVector train, test;
};
/// throws  std::invalid_argument: n < 2
TrainTest split_80_20(std::string_view function, Index samples, std::uint64_t seed,
                      std::uint64_t stream);

/// throws  std::domain_error: the test part has a single label of some concept
void require_classes(std::string_view function, const ConceptLabels& labels,
                     const IndexVector& rows);

/// throws  std::invalid_argument: an entry that is neither 0 nor 1
void require_binary(std::string_view function, const MatrixRef& concepts);

/// The annotated concepts, n x k of 0 and 1.
/// throws  NotApplicable: others
const Matrix& binary_concepts(const Subject& subject);

}  // namespace conoscope::metrics::detail
