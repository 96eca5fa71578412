// Purity scores: OIS, pairwise and joint, and NIS of 3,000 and 12,000 samples with 5 or 20 concepts.
// A pure representation must score as one.

#include <benchmark/benchmark.h>

#include <cmath>

#include "metrics/purity/nis.h"
#include "metrics/purity/ois.h"
#include "numerics/random.h"

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

struct Problem {
  Matrix scores, concepts;
};

/// Independent concepts; each score lies in [0.95, 1) or [0, 0.05).
Problem problem(Index n, Index k) {
  Random random(1);
  Problem out{Matrix(n, k), Matrix(n, k)};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < k; ++j) {
      out.concepts(i, j) = random.uniform() < 0.5 ? 1.0 : 0.0;
      out.scores(i, j) = 0.95 * out.concepts(i, j) + random.uniform(0.0, 0.05);
    }
  return out;
}

void pairwise_ois(benchmark::State& state) {
  const Problem data = problem(state.range(0), state.range(1));
  double score = 0.0;
  for (auto _ : state)
    score = ois(purity_matrix(data.scores, 1, data.concepts), oracle_matrix(data.concepts), false);
  // As pure as can be: what is left is the noise of some hundred AUCs.
  if (!(score > 0.0 && score < 0.4)) state.SkipWithError("a pure representation scores otherwise");
  state.counters["ois_off_diagonal"] = score;
}

void joint_ois(benchmark::State& state) {
  const Problem data = problem(state.range(0), state.range(1));
  PurityOptions options;
  options.joint = true;
  options.epochs = 50;
  options.batch = 2048;
  double score = 0.0;
  for (auto _ : state)
    score = ois(purity_matrix(data.scores, 1, data.concepts, options),
                oracle_matrix(data.concepts, options), false);
  if (!(score > 0.0 && score < 0.4)) state.SkipWithError("a pure representation scores otherwise");
  state.counters["ois_off_diagonal"] = score;
}

void niche(benchmark::State& state) {
  const Problem data = problem(state.range(0), state.range(1));
  double score = 0.0;
  for (auto _ : state) score = nis(data.scores, 1, data.concepts).definition.score;
  // Chance, which is 0.475, as far as masking with 0 goes.
  if (std::abs(score - 0.475) > 0.05) state.SkipWithError("a pure representation scores otherwise");
  state.counters["nis"] = score;
}

constexpr auto kUnit = benchmark::kMillisecond;
BENCHMARK(pairwise_ois)->Args({3000, 5})->Args({3000, 20})->Args({12000, 20})->Unit(kUnit);
BENCHMARK(joint_ois)->Args({3000, 5})->Args({3000, 20})->Unit(kUnit);
BENCHMARK(niche)->Args({3000, 5})->Args({3000, 20})->Args({12000, 20})->Unit(kUnit);

}  // namespace

BENCHMARK_MAIN();
