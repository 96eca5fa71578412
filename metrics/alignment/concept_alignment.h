// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// Pearson's r of every representation and every concept, K' x k; a constant on either side: 0.
///
/// scores  n x K'.   truth  n x k; both finite, n >= 1: not looked at again
Matrix concept_correlations(const MatrixRef& scores, const MatrixRef& truth);

/// Which representation stands for which concept? The paper's rule.
///
/// Again and again the largest entry whose row and column are both free is taken; among equals the
/// first in row-major order (the reference's sort leaves that open).
///
/// purity   K' x K, K' >= K >= 1: row i is a representation, column j a concept. Finite.
/// returns  K entries: the row of each column, all different
/// throws   std::invalid_argument: K < 1, K' < K, an entry not finite
///
/// Source: Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation,
/// AAAI 2023, App.; its code `find_max_alignment`.
IndexVector greedy_alignment(const MatrixRef& purity);

/// Which choice of rows has the largest sum of entries? The assignment problem, by shortest
/// augmenting paths: O(K^2 K') at most. 256 of 1,024 rows take some 10 ms.
///
/// Everything else as greedy_alignment(). Which of several best choices is found, is left open.
///
/// Source: Kuhn 1955; Jonker and Volgenant, Computing 38, 1987; for a rectangle Crouse, IEEE
/// Transactions on Aerospace and Electronic Systems 52, 2016.
IndexVector optimal_alignment(const MatrixRef& purity);

/// The chosen rows, in the order of the columns: K x K.
Matrix aligned_rows(const MatrixRef& purity, const IndexVector& alignment);

}  // namespace conoscope::metrics
