// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metrics/types.h"

namespace conoscope::metrics {

/// How much does one label say about another? The plug-in estimate.
///
///   I(a; b) = max(0, sum_uv p_uv ln(p_uv / (p_u p_v))),   p: relative frequencies, 0 ln 0 = 0
///
/// a, b     n labels each: any whole numbers, in any range, with gaps.
/// returns  nats, 0 ... min(H(a), H(b)); 0 when either is constant.
/// throws   std::invalid_argument: n < 1, lengths that differ
double mi_discrete(std::span<const Index> a, std::span<const Index> b);

/// How uncertain is a label? The plug-in entropy, I(a; a).
///
///   H(a) = -sum_u p_u ln p_u
///
/// returns  nats, 0 (a constant) ... ln(number of values).
/// throws   std::invalid_argument: n < 1
double entropy_discrete(std::span<const Index> a);

}  // namespace conoscope::metrics
