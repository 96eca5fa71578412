// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

/// How surprising is each of m tests, seeing that there are m of them? Family-wise error.
///
///   p sorted ascending:  adjusted_(i) = min(1, max_{l <= i} (m - l + 1) p_(l)),   l from 1
///
/// Rejecting where adjusted <= alpha makes even one false rejection at most alpha likely, however
/// the tests depend on each other.
///
/// p        m >= 0 probabilities
/// returns  as many, in the same order, each in [p, 1]
/// throws   std::invalid_argument: an entry outside [0, 1]
///
/// Source: Holm, Scandinavian Journal of Statistics 1979.
Vector holm(const VectorRef& p);

/// How surprising is each of m tests? False discovery rate: the share of false rejections among all
/// rejections, in place of the chance of one.
///
///   adjusted_(i) = min_{l >= i} min(1, m p_(l) / l)
///
/// For independent or positively dependent tests.
///
/// p        m >= 0 probabilities
/// returns  as many, in the same order, each in [p, 1]
/// throws   std::invalid_argument: an entry outside [0, 1]
///
/// Source: Benjamini & Hochberg, Journal of the Royal Statistical Society B 1995.
Vector benjamini_hochberg(const VectorRef& p);

}  // namespace conoscope::numerics
