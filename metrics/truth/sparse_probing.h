// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// A logistic regression that reads k latents only.
struct SparseProbe {
  IndexVector latents;  ///< ascending
  Vector weight;        ///< of each
  double bias = 0.0;

  IndexVector classify(
      const MatrixRef& codes) const;  ///< 1 where the score is > 0; codes of all latents
};

/// The k latents whose mean differs most between rows with and without the concept, and an
/// L2-penalised logistic regression of them (numerics/logistic_regression.h; the bias is free).
///
///   the k largest |mean of f_j with - mean of f_j without|, the first of equals
///
/// codes    f, n x K, finite.   labels  n of 0 and 1, both there.   k  1 ... K.   c  > 0
/// throws   std::invalid_argument: shapes that do not fit, a label of neither, a single label, k
///          outside, c not positive
///
/// Source: Karvonen et al., SAEBench, arXiv 2503.09532; Gurnee et al., arXiv 2305.01610. ViSAEBench
/// ranks by the F statistic of all rows, those that it tests on among them.
SparseProbe sparse_probe(const MatrixRef& codes, const IndexVector& labels, Index k,
                         double c = 1.0);

/// Rows of a concept, as many with as without it, one half to choose and fit on, one to judge on.
struct ProbeRows {
  IndexVector fit, judge;
};

/// labels   n of 0 and 1.   stream  of the seed's: of each concept its own
/// returns  half = min(rows with, rows without) / 2 of each kind in both; the others are not used
ProbeRows balanced_rows(const IndexVector& labels, std::uint64_t seed, std::uint64_t concept_id);

/// Can a concept be read from k latents?
///
///   mean over concepts of the accuracy of sparse_probe() on rows that it has not seen
///
/// codes     f, n x K: of an explanation, its concept scores without constant concepts
/// concepts  n x m of 0 and 1, annotated. Those with fewer than kLeastProbed rows of either kind in
///           a half are left out, which a caveat counts.
/// k         latents, 1 ... K. 1: does one latent stand for the concept? 2, 5: do few do?
/// seed      divides the rows of each concept (the test split's: latents were fitted on others) in
///           two halves
/// returns   [0, 1]; parts: concepts. Of balanced rows 0.5 is chance.
/// throws    std::invalid_argument: shapes that differ, not binary, not finite, k outside
///           std::domain_error: every concept is left out
///
/// O(n K) for each concept. Source: as sparse_probe(); there 4,000 rows to fit on and 1,000 to test
/// on.
Result sparse_probing(const MatrixRef& codes, const MatrixRef& concepts, Index k,
                      std::uint64_t seed);
inline constexpr Index kLeastProbed = 10;

namespace declare {
/// sparse_probing, of one latent; sparse_probing(k=5) of five.
std::vector<Metric> sparse_probing();
}  // namespace declare

}  // namespace conoscope::metrics
