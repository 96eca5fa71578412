#include "metrics/information/mi_noise.h"

#include <cmath>

namespace conoscope::metrics {

Draws normal_draws(std::uint64_t seed, std::uint64_t stream) {
  return [random = numerics::Random(seed, stream), spare = 0.0, has_spare = false]() mutable {
    if (has_spare) {
      has_spare = false;
      return spare;
    }
    double u = 0.0, v = 0.0, s = 0.0;
    do {
      u = random.uniform(-1.0, 1.0);
      v = random.uniform(-1.0, 1.0);
      s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(s) / s);
    spare = v * factor;
    has_spare = true;
    return u * factor;
  };
}

Matrix with_noise(const MatrixRef& v, const Draws& draws) {
  Matrix out = v;
  const double amplitude = 1e-10 * out.mean();
  for (Index i = 0; i < out.size(); ++i) out.data()[i] += amplitude * draws();
  return out;
}

}  // namespace conoscope::metrics
