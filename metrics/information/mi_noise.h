// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "metrics/types.h"
#include "numerics/random.h"

namespace conoscope::metrics {

/// Standard normal numbers, one after the other. Empty: no noise.
using Draws = std::function<double()>;

/// Draws from a seed: Marsaglia's polar method on Random.
Draws normal_draws(std::uint64_t seed, std::uint64_t stream = 0);

/// The noise that the reference adds to the arguments of its nearest-neighbour estimates, so that
/// ties are broken by chance:
///
///   v' = v + (1e-10 * mean(v)) * g,   g ~ N(0, 1), fresh for each entry, in C order
///
/// The mean is over all entries; of mean 0, nothing is added.
///
/// Source: the code of Parisini et al. Numbers are drawn for every entry, so that recorded draws
/// can be replayed.
Matrix with_noise(const MatrixRef& v, const Draws& draws);

}  // namespace conoscope::metrics
