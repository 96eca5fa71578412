// SPDX-License-Identifier: Apache-2.0
// Interventional robustness on the full grid of dSprites, 737,280 codes of 10 latents.

#include <benchmark/benchmark.h>

#include <cmath>

#include "metrics/robustness/irs_matrix.h"
#include "numerics/random.h"

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

struct Sample {
  Matrix codes, factors;
};

/// Five factors move five latents; two latents are noise, the others mix factors.
const Sample& dsprites() {
  static const Sample sample = [] {
    const Index extents[] = {1, 3, 6, 40, 32, 32};
    Sample out{Matrix(737280, 10), Matrix(737280, 6)};
    Random random(1);
    for (Index i = 0; i < out.codes.rows(); ++i) {
      Index rest = i;
      for (Index k = 5; k >= 0; --k) {
        out.factors(i, k) = static_cast<double>(rest % extents[k]);
        rest /= extents[k];
      }
      for (Index l = 0; l < 10; ++l) {
        const double first = out.factors(i, 1 + l % 5), second = out.factors(i, 1 + (l + 1) % 5);
        out.codes(i, l) = l < 5   ? std::sin(first) + 0.1 * random.uniform()
                          : l < 8 ? 0.05 * first - 0.03 * second + 0.1 * random.uniform()
                                  : random.uniform(-1.0, 1.0);
      }
    }
    return out;
  }();
  return sample;
}

const Sample& shuffled() {
  static const Sample sample = [] {
    const Sample& ordered = dsprites();
    IndexVector order(static_cast<std::size_t>(ordered.codes.rows()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    Random random(2);
    random.shuffle(order);
    Sample out{ordered.codes, ordered.factors};
    for (std::size_t i = 0; i < order.size(); ++i) {
      out.codes.row(static_cast<Index>(i)) = ordered.codes.row(order[i]);
      out.factors.row(static_cast<Index>(i)) = ordered.factors.row(order[i]);
    }
    return out;
  }();
  return sample;
}

void check(benchmark::State& state, const IrsMatrix& result, double tolerance) {
  static const IrsMatrix reference = irs_matrix(factor_cells(dsprites().codes, dsprites().factors));
  if (!((result.irs - reference.irs).cwiseAbs().maxCoeff() < tolerance) || result.active != 10)
    state.SkipWithError("not the matrix of the estimator over cells");
}

void irs_crossed(benchmark::State& state) {
  const Sample& sample = dsprites();
  IrsMatrix result;
  for (auto _ : state) result = irs_matrix(sample.codes, sample.factors);
  check(state, result, 1e-10);
}

/// The same samples in any order: the estimator over cells.
void irs_any_order(benchmark::State& state) {
  const Sample& sample = shuffled();
  IrsMatrix result;
  for (auto _ : state) result = irs_matrix(sample.codes, sample.factors);
  check(state, result, 1e-10);
}

/// disentanglement_lib's own way with the maximum; one sample per cell, so it is the same matrix.
void irs_quantile_one(benchmark::State& state) {
  const Sample& sample = dsprites();
  IrsMatrix result;
  for (auto _ : state) result = irs_quantile(sample.codes, sample.factors, {1.0, 0});
  check(state, result, 1e-10);
}

BENCHMARK(irs_crossed)->Unit(benchmark::kMillisecond);
BENCHMARK(irs_any_order)->Unit(benchmark::kMillisecond)->Iterations(2);
BENCHMARK(irs_quantile_one)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
