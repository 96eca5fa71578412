// The numerics on the shape of a mid-sized ResNet layer: 98,000 positions x 512 channels of
// float32, 25 parts. Each benchmark checks what it has computed.

#include <benchmark/benchmark.h>

#include <cmath>

#include "numerics/kmeans.h"
#include "numerics/nmf.h"
#include "numerics/nnls.h"
#include "numerics/random.h"
#include "numerics/svd.h"

namespace {

using namespace conoscope::numerics;

constexpr Index kRows = 98000, kWidth = 512, kParts = 25;

/// Sparse non-negative mixes of 25 parts plus noise, clipped at 0: as after a ReLU.
const MatrixF& activations() {
  static const MatrixF x = [] {
    Random random{Seed(1)};
    MatrixF parts(kParts, kWidth), weights(kRows, kParts);
    for (Index i = 0; i < parts.size(); ++i)
      parts.data()[i] = static_cast<float>(std::abs(random.normal()));
    for (Index i = 0; i < weights.size(); ++i)
      weights.data()[i] =
          random.uniform() < 0.2 ? static_cast<float>(std::abs(random.normal())) : 0.0f;
    MatrixF out = weights * parts;
    for (Index i = 0; i < out.size(); ++i)
      out.data()[i] = std::max(0.0f, out.data()[i] + 0.3f * static_cast<float>(random.normal()));
    return out;
  }();
  return x;
}

void lloyd(benchmark::State& state, int iterations) {
  const MatrixF& x = activations();
  const Matrix init = x.topRows(kParts).cast<double>();
  const KMeansOptions options{.max_iter = iterations, .tol = 0.0};
  KMeansResult r;
  for (auto _ : state) r = kmeans_from(x, init, options);
  double inertia = 0.0;
  for (Index i = 0; i < kRows; ++i)
    inertia += (x.row(i).cast<double>() - r.centres.row(r.labels[static_cast<std::size_t>(i)]))
                   .squaredNorm();
  if (r.iterations != iterations || std::abs(inertia - r.inertia) > 1e-9 * inertia)
    state.SkipWithError("inertia is not that of labels and centres");
}

/// Between 2 and 12 iterations lie ten early ones, between 12 and 52 forty late ones, when few rows
/// are measured again; what is done once per call drops out.
void kmeans_setup_and_2_iterations(benchmark::State& state) { lloyd(state, 2); }
void kmeans_setup_and_12_iterations(benchmark::State& state) { lloyd(state, 12); }

void kmeans_setup_and_52_iterations(benchmark::State& state) { lloyd(state, 52); }

void kmeans_seeding(benchmark::State& state) {
  Matrix c;
  for (auto _ : state) c = kmeans_plus_plus(activations(), kParts, Seed(1));
  if (c.rows() != kParts || !c.allFinite()) state.SkipWithError("no seeds");
}

void factorise(benchmark::State& state, NmfSolver solver, int iterations) {
  const MatrixF& x = activations();
  static const NmfFactors<float> start = nmf_initialise(x, kParts, NmfInit::kRandom, Seed(1));
  const NmfOptions options{.solver = solver, .max_iter = iterations, .tol = 0.0};
  NmfResult<float> r;
  for (auto _ : state) r = nmf_from(x, start.w, start.h, options);
  if (!(r.error < frobenius_error(x, start.w, start.h)) || r.iterations != iterations ||
      r.w.minCoeff() < 0.0f)
    state.SkipWithError("the error did not fall");
}

void nmf_cd_2_sweeps(benchmark::State& state) {
  factorise(state, NmfSolver::kCoordinateDescent, 2);
}
void nmf_cd_12_sweeps(benchmark::State& state) {
  factorise(state, NmfSolver::kCoordinateDescent, 12);
}
void nmf_mu_2_sweeps(benchmark::State& state) {
  factorise(state, NmfSolver::kMultiplicativeUpdate, 2);
}
void nmf_mu_12_sweeps(benchmark::State& state) {
  factorise(state, NmfSolver::kMultiplicativeUpdate, 12);
}

void svd_25(benchmark::State& state) {
  TruncatedSvd r;
  for (auto _ : state) r = truncated_svd(activations(), kParts);
  const double held = (activations() * r.components.row(0).transpose().cast<float>()).norm();
  if (std::abs(held - r.singular_values[0]) > 1e-4 * held ||
      !(r.components * r.components.transpose()).isIdentity(1e-9))
    state.SkipWithError("not singular vectors");
}

void nnls_98000_rows(benchmark::State& state) {
  static const Matrix x = activations().cast<double>();
  const Matrix h = x.topRows(kParts);
  Matrix w;
  for (auto _ : state) w = nnls(x, h);
  const Matrix gradient = (w.topRows(1000) * h - x.topRows(1000)) * h.transpose();
  if (w.minCoeff() < 0.0 ||
      gradient.minCoeff() < -1e-9 * (x.topRows(1000) * h.transpose()).maxCoeff())
    state.SkipWithError("not a minimum");
}

BENCHMARK(kmeans_setup_and_2_iterations)->Unit(benchmark::kMillisecond);
BENCHMARK(kmeans_setup_and_12_iterations)->Unit(benchmark::kMillisecond);
BENCHMARK(kmeans_setup_and_52_iterations)->Unit(benchmark::kMillisecond);
BENCHMARK(kmeans_seeding)->Unit(benchmark::kMillisecond);
BENCHMARK(nmf_cd_2_sweeps)->Unit(benchmark::kMillisecond);
BENCHMARK(nmf_cd_12_sweeps)->Unit(benchmark::kMillisecond);
BENCHMARK(nmf_mu_2_sweeps)->Unit(benchmark::kMillisecond);
BENCHMARK(nmf_mu_12_sweeps)->Unit(benchmark::kMillisecond);
BENCHMARK(svd_25)->Unit(benchmark::kMillisecond);
BENCHMARK(nnls_98000_rows)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
