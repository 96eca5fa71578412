// SPDX-License-Identifier: Apache-2.0
// How the cost of the measures of an explanation's concepts grows: stability with the number of
// concepts that are matched and with the width, monosemanticity with images and concepts. Results
// are checked.

#include <benchmark/benchmark.h>

#include <cmath>

#include "metrics/readability/monosemanticity.h"
#include "metrics/stability/stability.h"
#include "numerics/random.h"

namespace {

using namespace conoscope::metrics;

Matrix normal_matrix(Index rows, Index cols, std::uint64_t seed) {
  conoscope::numerics::Random random(seed);
  Matrix out(rows, cols);
  for (double& entry : out.reshaped()) entry = random.normal();
  return out;
}

/// k concepts that all outputs share, and the same in reverse.
Peers reversed(Index k, Index width) {
  CellExplanation own;
  own.weight = Matrix::Zero(1, width);
  own.bias = Vector::Zero(1);
  own.explanation.class_agnostic = true;
  own.explanation.cavs = normal_matrix(k, width, 1);
  own.explanation.importance_by_output = Matrix::Ones(1, k);
  CellExplanation other = own;
  other.explanation.cavs = own.explanation.cavs.colwise().reverse().eval();
  return {own, {other}, 1};
}

void same_concepts(benchmark::State& state) {
  const Peers peers = reversed(state.range(0), state.range(1));
  for (auto _ : state)
    if (std::abs(stability(peers).value - 1.0) > 1e-9) state.SkipWithError("not the same concepts");
}

void null(benchmark::State& state) {
  const Peers peers = reversed(state.range(0), state.range(1));
  for (auto _ : state) {
    const double value = stability_null(peers).value;
    if (!(value > 0.0 && value < 0.8)) state.SkipWithError("no chance level");
  }
}

/// Concepts that are coordinates of the embeddings: chance, and a little more.
void images(benchmark::State& state) {
  const Matrix embeddings = normal_matrix(state.range(0), 512, 1);
  const Matrix scores = embeddings.leftCols(state.range(1));
  for (auto _ : state) {
    const double value = monosemanticity(embeddings, scores).value;
    if (!(value > 0.0 && value < 0.1)) state.SkipWithError("not that of a coordinate");
  }
}

}  // namespace

BENCHMARK(images)
    ->ArgNames({"n", "K"})
    ->ArgsProduct({{1000, 2000, 4000, 8000}, {50}})
    ->Args({2000, 100})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(same_concepts)
    ->ArgNames({"K", "D"})
    ->ArgsProduct({{16, 32, 64, 128}, {512}})
    ->Args({32, 2048})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(null)
    ->ArgNames({"K", "D"})
    ->ArgsProduct({{16, 32, 64}, {512}})
    ->Args({32, 2048})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
