// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metrics/information/mi_ksg.h"
#include "metrics/information/sorted_values.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How much does a continuous quantity say about a label?
///
///   labels that occur once leave all that follows; N: the samples that stay, n_l: those of label l
///   k_i = min(k, n_l - 1) for a sample of label l
///   r_i = Euclidean distance to the k_i-th nearest other sample of the same label
///   m_i = #{j: |x_j - x_i| < r_i}, of any label and i included; where r_i = 0, exact duplicates
///   I   = psi(N) + mean psi(k_i) - mean psi(n_l(i)) - mean psi(m_i)
///
/// x        n x d, finite. labels: n, any whole numbers.
/// returns  nats; 0 ... about H(label), which the estimate may exceed by its own error.
/// throws   std::invalid_argument: k < 1, lengths that differ, n < 1, no columns, an entry not
///          finite
///          std::domain_error: every label occurs once, so no sample has a neighbour of its label
///
/// Source: Ross, PLoS ONE 9(2), 2014; ties as in scikit-learn. For d > 15 scikit-learn measures the
/// radius and counts within it by differently rounded distances, which loses up to 1/(2 k) nat;
/// here both rest on the same doubles.
MiEstimate mi_ross(const MatrixRef& x, std::span<const Index> labels,
                   const KsgOptions& options = {});

/// Of a scalar whose order is known.
MiEstimate mi_ross(const SortedValues& x, std::span<const Index> labels,
                   const KsgOptions& options = {});

}  // namespace conoscope::metrics
