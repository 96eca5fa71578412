// An epoch of the sparse autoencoder at 98,000 x 512 with 505 latents (PyTorch reference 3.2 to
// 5.2 s), and the game of C-SHAP at 600 samples x 16 positions, 20 concepts and 2,088 coalitions
// (reference about 29 s). Each benchmark checks what it has computed.

#include <benchmark/benchmark.h>

#include <cmath>

#include "numerics/random.h"
#include "plugins/explainers/c_shap/concept_shap.h"
#include "plugins/explainers/topk_sae/sae.h"

namespace {

using namespace conoscope::methods;
using namespace conoscope::numerics;

MatrixF normals(Index rows, Index cols, std::uint64_t seed) {
  Random random{Seed(seed)};
  MatrixF out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = static_cast<float>(random.normal());
  return out;
}

void sae_epoch(benchmark::State& state, double aux_weight) {
  static const MatrixF x = normals(98000, 512, 1).cwiseMax(0.0F);
  const SaeOptions options{.latents = 505, .epochs = 1, .aux_weight = aux_weight};
  TopKSae<float> sae;
  for (auto _ : state) sae = sae_fit(x, options, Seed(2));
  const auto before =
      sae_losses<float>(x.topRows(2000), sae_initialise<float>(512, 505, 5, Seed(2)));
  const auto after = sae_losses<float>(x.topRows(2000), sae);
  if (!(after.mse < 0.7 * before.mse)) state.SkipWithError("the error did not fall");
}

/// state.range(0) of 20 scores are active at a position.
void coalitions(benchmark::State& state) {
  constexpr Index kSamples = 600, kPositions = 16, kConcepts = 20, kClasses = 10;
  Random random{Seed(3)};
  MatrixF scores = normals(kSamples * kPositions, kConcepts, 4).cwiseAbs() / 20.0F;
  const double share = static_cast<double>(state.range(0)) / static_cast<double>(kConcepts);
  for (Index i = 0; i < scores.size(); ++i)
    if (random.uniform() >= share) scores.data()[i] = 0.0F;
  const MatrixF w1 = normals(kConcepts, 500, 5), w2 = normals(500, 64, 6);
  const FrozenHead<float> head{normals(kClasses, 64, 7), Eigen::VectorXf::Zero(kClasses)};
  Coalitions targets = Coalitions::Zero(kSamples, kClasses);
  for (Index i = 0; i < kSamples; ++i) targets(i, i % kClasses) = 1;
  const Coalitions drawn = sample_coalitions(kConcepts, 2088, Seed(8));
  Matrix recall;
  for (auto _ : state) recall = coalition_recall(scores, kPositions, w1, w2, head, targets, drawn);
  // Coalition 0, by plain products.
  const MatrixF masked = scores.array().rowwise() * drawn.row(0).cast<float>().array();
  const MatrixF layer = (masked * w1).cwiseMax(0.0F);
  Eigen::VectorXd hits = Eigen::VectorXd::Zero(kClasses);
  for (Index i = 0; i < kSamples; ++i) {
    Index best = 0;
    (layer.middleRows(i * kPositions, kPositions).colwise().sum() * w2 * head.weight.transpose())
        .maxCoeff(&best);
    if (best == i % kClasses) hits[best] += static_cast<double>(kClasses) / kSamples;
  }
  if ((recall.row(0).transpose() - hits).cwiseAbs().maxCoeff() > 1e-12)
    state.SkipWithError("not the recall");
}

BENCHMARK_CAPTURE(sae_epoch, mse, 0.0)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(sae_epoch, aux, 0.1)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(coalitions)->Arg(6)->Arg(12)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
