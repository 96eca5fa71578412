// SPDX-License-Identifier: Apache-2.0
// MCD's self-representation at the size where its authors cut off: 10,000 rows x 512. One thread; the
// result is checked in double against all rows, and against plain coordinate descent.

#include <benchmark/benchmark.h>

#include <cmath>

#include "numerics/random.h"
#include "numerics/spectral.h"

namespace {

using namespace conoscope::numerics;

constexpr Index kRows = 10000, kWidth = 512, kParts = 25;

/// Unit rows: sparse non-negative mixes of 25 parts plus noise, clipped at 0, as after a ReLU.
const Matrix& activations() {
  static const Matrix x = [] {
    Random random{Seed(1)};
    Matrix parts(kParts, kWidth), weights(kRows, kParts);
    for (Index i = 0; i < parts.size(); ++i) parts.data()[i] = std::abs(random.normal());
    for (Index i = 0; i < weights.size(); ++i)
      weights.data()[i] = random.uniform() < 0.2 ? std::abs(random.normal()) : 0.0;
    Matrix out = weights * parts;
    for (Index i = 0; i < out.size(); ++i)
      out.data()[i] = std::max(0.0, out.data()[i] + 0.3 * random.normal());
    out.rowwise().normalize();
    return out;
  }();
  return x;
}

/// The objective that 100 sweeps of cyclic coordinate descent over all rows reach.
double by_coordinate_descent(const Matrix& x, Index i, double alpha) {
  Eigen::RowVectorXd c = Eigen::RowVectorXd::Zero(x.rows()), r = x.row(i);
  for (int sweep = 0; sweep < 100; ++sweep)
    for (Index j = 0; j < x.rows(); ++j) {
      if (j == i) continue;
      const double product = r.dot(x.row(j)) + c[j];
      const double next = std::copysign(std::max(0.0, std::abs(product) - alpha), product);
      if (next == c[j]) continue;
      r -= (next - c[j]) * x.row(j);
      c[j] = next;
    }
  return 0.5 * r.squaredNorm() + alpha * c.lpNorm<1>();
}

void self_representation(benchmark::State& state) {
  const Matrix& x = activations();
  const double gamma = static_cast<double>(state.range(0));
  SelfRepresentation r;
  for (auto _ : state) r = sparse_self_representation(x, {.gamma = gamma});
  for (Index i = 0; i < kRows; i += 997) {
    const Eigen::RowVectorXd c = r.coefficients.row(i);
    const Vector left = x * (x.row(i) - c * x).transpose();
    const double bound = r.alpha[i] * (1.0 + gamma * 1e-10);
    for (Index j = 0; j < kRows; ++j)
      if (j != i && std::abs(left[j]) > bound) state.SkipWithError("a row breaches its conditions");
    if (i < 2 * 997 && r.objective[i] > by_coordinate_descent(x, i, r.alpha[i]) + 1e-12)
      state.SkipWithError("plain coordinate descent is better");
  }
  state.counters["coefficients_per_row"] =
      static_cast<double>(r.coefficients.nonZeros()) / static_cast<double>(kRows);
}

void clustering(benchmark::State& state) {
  static const SparseMatrix affinity =
      affinity_of(sparse_self_representation(activations(), {.gamma = 10.0}).coefficients);
  SpectralEmbedding e;
  for (auto _ : state) e = spectral_embedding(affinity, 5, Seed(1));
  if (!e.converged || std::abs(e.eigenvalues[0] - 1.0) > 1e-9)
    state.SkipWithError("the eigenvectors did not converge");
}

BENCHMARK(self_representation)->Arg(10)->Arg(50)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(clustering)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
