// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numerics/random.h"
#include "numerics/types.h"

namespace conoscope::testing {

/// n x d draws of a standard normal distribution.
inline numerics::Matrix normals(numerics::Index n, numerics::Index d, numerics::Random random) {
  numerics::Matrix x(n, d);
  for (numerics::Index i = 0; i < x.size(); ++i) x.data()[i] = random.normal();
  return x;
}
inline numerics::Matrix normals(numerics::Index n, numerics::Index d, std::uint64_t seed) {
  return normals(n, d, numerics::Random{numerics::Seed(seed)});
}

}  // namespace conoscope::testing
