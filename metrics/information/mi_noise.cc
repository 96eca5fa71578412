// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_noise.h"

namespace conoscope::metrics {

Draws normal_draws(std::uint64_t seed, std::uint64_t stream) {
  return [random = numerics::Random(seed, stream)]() mutable { return random.normal(); };
}

Matrix with_noise(const MatrixRef& v, const Draws& draws) {
  Matrix out = v;
  const double amplitude = 1e-10 * out.mean();
  for (Index i = 0; i < out.size(); ++i) out.data()[i] += amplitude * draws();
  return out;
}

}  // namespace conoscope::metrics
