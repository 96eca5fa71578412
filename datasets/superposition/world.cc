// SPDX-License-Identifier: Apache-2.0
#include "datasets/superposition/world.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "datasets/superposition/directions.h"
#include "numerics/checks.h"

namespace conoscope::datasets::superposition {

using numerics::refuse;

namespace {

/// Rows that are drawn together: rows x N numbers of each kind.
constexpr Index kBlock = 128;

Matrix normals(Index rows, Index cols, numerics::Random random) {
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
  return out;
}

void require_above_0(const char* argument, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    refuse("make_world",
           std::string(argument) + " is " + std::to_string(value) + ", expected a number above 0");
}

}  // namespace

World make_world(const WorldOptions& options, Seed seed,
                 const std::function<void(Index)>& after_step) {
  numerics::require_at_least("make_world", "features", options.features, 2);
  numerics::require_at_least("make_world", "width", options.width, 1);
  numerics::require_at_least("make_world", "rank", options.rank, 1);
  numerics::require_weight("make_world", "scale", options.scale);
  numerics::require_weight("make_world", "sd_spread", options.sd_spread);
  numerics::require_weight("make_world", "bias_norm", options.bias_norm);
  require_above_0("mean_first", options.mean_first);
  require_above_0("mean_last", options.mean_last);
  const Index n = options.features;
  const auto stream = [seed](const char* name) { return numerics::Random(seed.child(name)); };

  World world;
  world.gating = options.gating;
  world.target = zipf_rates(n, options.exponent, options.rate_max, options.rate_min);
  world.forest = grow_forest(n, options.roots, options.branching, options.depth);
  world.drawn = compensate(world.target, world.forest.parent, options.gating.exclusive);
  world.factor = options.scale * normals(n, options.rank, stream("factor"));
  world.own = bound_factor(world.factor);
  world.mean = Vector::LinSpaced(n, options.mean_first, options.mean_last);
  world.sd.resize(n);
  numerics::Random spread = stream("sd");
  for (double& sd : world.sd) sd = std::abs(options.sd_mean + options.sd_spread * spread.normal());

  Matrix start = normals(n, options.width, stream("directions"));
  start.rowwise().normalize();
  world.directions =
      orthogonalised(start, options.orthogonal_steps, options.orthogonal_rate, after_step);
  world.bias = normals(options.width, 1, stream("bias")).col(0).normalized() * options.bias_norm;
  return world;
}

Matrix draw_activations(const World& world, Index first, Index count, Seed stream) {
  numerics::require_at_least("draw_activations", "first", first, 0);
  numerics::require_at_least("draw_activations", "count", count, 1);
  const Index n = world.features();
  std::vector<numerics::Random> random;
  Matrix common(count, world.factor.cols()), noise(count, n);
  for (Index row = 0; row < count; ++row) {
    auto& own = random.emplace_back(stream.child(static_cast<std::uint64_t>(first + row)));
    for (Index r = 0; r < common.cols(); ++r) common(row, r) = own.normal();
    for (Index i = 0; i < n; ++i) noise(row, i) = own.normal();
  }
  const Fired fired = fires(world.factor, world.own, world.drawn.rate, common, noise);
  Matrix a = magnitudes(fired, world.mean, world.sd, [&random](Index row, Index) {
    return random[static_cast<std::size_t>(row)].normal();
  });
  gate(a, world.forest, world.mean, world.gating,
       [&random](Index row, Index) { return random[static_cast<std::size_t>(row)].uniform(); });
  return a;
}

Matrix compose(const MatrixRef& a, const MatrixRef& directions, const VectorRef& bias) {
  if (a.cols() != directions.rows() || bias.size() != directions.cols())
    refuse("compose", "a is " + numerics::shape_of(a) + " and bias of " +
                          std::to_string(bias.size()) + " for directions of " +
                          numerics::shape_of(directions));
  Matrix x = bias.transpose().replicate(a.rows(), 1);
  for (Index row = 0; row < a.rows(); ++row)
    for (Index i = 0; i < a.cols(); ++i)
      if (a(row, i) != 0.0) x.row(row) += a(row, i) * directions.row(i);
  return x;
}

Vector realised_rates(const World& world, Index rows, Seed stream) {
  numerics::require_at_least("realised_rates", "rows", rows, 1);
  Vector count = Vector::Zero(world.features());
  for (Index at = 0; at < rows; at += kBlock) {
    const Matrix a = draw_activations(world, at, std::min(kBlock, rows - at), stream);
    count += (a.array() > 0.0).cast<double>().matrix().colwise().sum().transpose();
  }
  return count / static_cast<double>(rows);
}

std::vector<double> rates_over_targets(const VectorRef& rates, const World& world) {
  const auto& level = world.forest.level;
  const Index deepest = *std::ranges::max_element(level);
  std::vector<double> out;
  for (Index at = -1; at <= deepest; ++at) {
    double real = 0.0, wanted = 0.0;
    for (Index i = 0; i < rates.size(); ++i)
      if (level[static_cast<std::size_t>(i)] == at) {
        real += rates[i];
        wanted += world.target[i];
      }
    if (wanted > 0.0) out.push_back(real / wanted);
  }
  return out;
}

}  // namespace conoscope::datasets::superposition
