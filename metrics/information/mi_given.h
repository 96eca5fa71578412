// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metrics/information/mi_ksg.h"
#include "metrics/information/sorted_values.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// An estimate of conditional mutual information, in nats.
struct ConditionalMi {
  double value = 0.0;  ///< max(0, raw)
  double raw = 0.0;    ///< may be below 0 where there is little to find
  Index left_out = 0;  ///< samples without another one of their label in their stratum
};

/// How much does a quantity say about a label that another label, c, leaves open?
///
///   I(x; y | c) = sum_v N_v / N I_v,   I_v: the estimate of I(x; y) among the samples of c = v
///
/// Labels a, b: I_v by mi_discrete, and N_v counts the stratum's samples. A continuous x: I_v is
/// mi_ross before it is clipped, 0 in a stratum of one label, and N_v counts the samples that
/// mi_ross keeps, those whose label occurs in their stratum twice or more; so with a constant c it
/// is mi_ross.
///
/// x        n finite values, or n x d. labels, given: n, any whole numbers.
/// returns  nats; 0 ... about H(y | c). The discrete estimate is too large by about
///          (values of a - 1) (values of b - 1) (values of c) / 2 n.
/// throws   std::invalid_argument: lengths that differ, n < 1; as mi_ross
///          std::domain_error: in every stratum every label occurs once
///
/// Source: the definition of conditional mutual information; mi_discrete, mi_ross.
ConditionalMi mi_discrete_given(std::span<const Index> a, std::span<const Index> b,
                                std::span<const Index> given);
ConditionalMi mi_ross_given(const SortedValues& x, std::span<const Index> labels,
                            std::span<const Index> given, const KsgOptions& options = {});
ConditionalMi mi_ross_given(const MatrixRef& x, std::span<const Index> labels,
                            std::span<const Index> given, const KsgOptions& options = {});

}  // namespace conoscope::metrics
