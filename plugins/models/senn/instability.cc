#include "plugins/models/senn/instability.h"

#include <torch/torch.h>

#include <vector>

namespace conoscope::models {

namespace {

/// d(sum_i weights_i values_ic) / d of, the weights held: n x C x what `of` has of a sample.
Tensor slopes(const Tensor& values, const Tensor& weights, const Tensor& of) {
  std::vector<Tensor> out;
  for (std::int64_t c = 0; c < values.size(2); ++c)
    out.push_back(torch::autograd::grad({values.select(2, c)}, {of}, {weights},
                                        /*retain_graph=*/true, /*create_graph=*/true)[0]
                      .flatten(1));
  return torch::stack(out, 1);
}

/// The sum of squares of V J, with V = d(sum_i h_i theta_i) / dh and J = dh / dx: the trace of
/// V J J' V'.
Tensor squares_through_concepts(const Tensor& theta, const Tensor& h, const Tensor& x) {
  const Tensor j = slopes(h.unsqueeze(1), torch::ones({h.size(0), 1}, h.options()), x);
  const Tensor v = slopes(theta, h, h);
  const Tensor vjj = torch::bmm(v, torch::bmm(j, j.transpose(1, 2)));
  return (vjj * v).sum({1, 2}).clamp_min(0.0);  // rounding may leave it below
}

}  // namespace

Tensor instability(const Tensor& theta, const Tensor& h, const Tensor& x, bool of_concepts) {
  constexpr double kNoCorner = 1e-12;
  const Tensor squares = of_concepts && theta.size(2) > h.size(1)
                             ? squares_through_concepts(theta, h, x)
                             : slopes(theta, h, x).square().sum({1, 2});
  return (squares + kNoCorner).sqrt().mean();
}

}  // namespace conoscope::models
