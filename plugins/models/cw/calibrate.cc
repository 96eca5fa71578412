// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/cw/calibrate.h"

namespace conoscope::models {

Tensor calibrated(const Tensor& scores, const Tensor& concepts, const Tensor& train) {
  constexpr double kRidge = 1e-3;
  constexpr int kNewtonSteps = 30;
  const torch::NoGradGuard no_grad;
  const Tensor known = scores.index_select(0, train);
  const Tensor mean = known.mean(0), spread = known.std(0, /*unbiased=*/false).clamp_min(1e-12);
  const Tensor x = (known - mean) / spread;
  const Tensor y = concepts.index_select(0, train).to(torch::kFloat64);
  Tensor slope = torch::zeros_like(mean), offset = torch::zeros_like(mean);
  for (int step = 0; step < kNewtonSteps; ++step) {
    const Tensor p = torch::sigmoid(slope * x + offset), weight = p * (1.0 - p);
    const Tensor g1 = ((p - y) * x).mean(0) + kRidge * slope,
                 g0 = (p - y).mean(0) + kRidge * offset;
    const Tensor h11 = (weight * x * x).mean(0) + kRidge, h10 = (weight * x).mean(0),
                 h00 = weight.mean(0) + kRidge;
    const Tensor determinant = h11 * h00 - h10 * h10;
    slope = slope - (h00 * g1 - h10 * g0) / determinant;
    offset = offset - (h11 * g0 - h10 * g1) / determinant;
  }
  return torch::sigmoid(slope * (scores - mean) / spread + offset);
}

}  // namespace conoscope::models
