// Disentanglement metrics at 10,000 training and 5,000 test rows of 10 latents with the factors of
// dSprites (3, 6, 40, 32 and 32 values). Each benchmark checks its result.

#include <benchmark/benchmark.h>

#include <cmath>

#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/explicitness.h"
#include "metrics/disentanglement/mig.h"
#include "metrics/disentanglement/modularity.h"
#include "metrics/disentanglement/r4.h"
#include "metrics/disentanglement/sap.h"
#include "numerics/random.h"

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

struct Sample {
  Matrix train_codes, train_factors, test_codes, test_factors;
};

/// Codes 0 ... 4 are the factors with a little noise, 5 ... 7 mix two of them, 8 and 9 are noise.
const Sample& dsprites() {
  static const Sample sample = [] {
    const double extents[] = {3, 6, 40, 32, 32};
    Random random(1);
    const auto draw = [&](Index n, Matrix& codes, Matrix& factors) {
      codes.resize(n, 10);
      factors.resize(n, 5);
      for (Index i = 0; i < n; ++i) {
        for (Index k = 0; k < 5; ++k)
          factors(i, k) = static_cast<double>(random.below(static_cast<std::uint64_t>(extents[k])));
        for (Index l = 0; l < 10; ++l) {
          const Index a = l % 5, b = (l + 1) % 5;
          const double first = factors(i, a) / extents[a], second = factors(i, b) / extents[b];
          codes(i, l) = (l < 5   ? first
                         : l < 8 ? 0.5 * first - 0.3 * second
                                 : 0.0) +
                        0.1 * random.uniform(-1.0, 1.0);
        }
      }
    };
    Sample out;
    draw(10000, out.train_codes, out.train_factors);
    draw(5000, out.test_codes, out.test_factors);
    return out;
  }();
  return sample;
}

void require(benchmark::State& state, bool right) {
  if (!right) state.SkipWithError("not the expected result");
}

void mig_and_modularity(benchmark::State& state) {
  const Sample& s = dsprites();
  double gap = 0.0, modular = 0.0;
  for (auto _ : state) {
    const CodeInformation information = code_information({s.train_codes, s.train_factors});
    gap = mig(information).value;
    modular = modularity(information.mutual_information).value;
  }
  require(state, gap > 0.05 && gap < 0.9 && modular > 0.5);
}

void explicitness_test(benchmark::State& state) {
  const Sample& s = dsprites();
  double value = 0.0;
  for (auto _ : state)
    value = explicitness({s.train_codes, s.train_factors, s.test_codes, s.test_factors}).value;
  require(state, value > 0.8 && value < 1.0);
}

void sap(benchmark::State& state) {
  const Sample& s = dsprites();
  Sap result;
  for (auto _ : state)
    result = sap_discrete({s.train_codes, s.train_factors, s.test_codes, s.test_factors});
  require(state, result.scores(0, 0) > 0.6 && result.value > 0.0);
}

void dci_gradient_boosting(benchmark::State& state) {
  const Sample& s = dsprites();
  DciFit fit;
  for (auto _ : state)
    fit = dci_boosting({s.train_codes, s.train_factors, s.test_codes, s.test_factors});
  bool right = std::abs(fit.importance.sum() - 5.0) < 1e-9;
  for (Index k = 0; k < 2; ++k) right = right && fit.importance(k, k) > 0.4;
  require(state, right && fit.by_factor[0] > 0.9);
}

void dci_random_forest(benchmark::State& state) {
  const Sample& s = dsprites();
  DciFit fit;
  for (auto _ : state) fit = dci_forest({s.train_codes, s.train_factors});
  require(state, fit.informativeness > 0.2 && std::abs(fit.importance.sum() - 5.0) < 1e-9);
}

/// One pair of a continuous factor and a code, both ways, on five splits.
void r4_pair(benchmark::State& state) {
  const Sample& s = dsprites();
  const Matrix factor = s.train_factors.col(3), code = s.train_codes.col(3);
  double value = 0.0;
  for (auto _ : state) value = r4({code, factor}, r4_splits(10000, 1)).value;
  require(state, value > 0.8 && value < 1.0);
}

BENCHMARK(mig_and_modularity)->Unit(benchmark::kMillisecond);
BENCHMARK(explicitness_test)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(sap)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(dci_random_forest)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(r4_pair)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(dci_gradient_boosting)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
