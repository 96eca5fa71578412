// SPDX-License-Identifier: Apache-2.0
// CRAFT's importances on 2000 images of 7 x 7 positions x 512 channels, 25 concepts, 32 design
// points; MiniBatchNMF on the same 98,000 rows of float32. Each benchmark checks what it computed.

#include <benchmark/benchmark.h>

#include <cmath>

#include "numerics/nmf.h"
#include "numerics/random.h"
#include "plugins/explainers/craft/sobol.h"
#include "plugins/explainers/ice/minibatch_nmf.h"

namespace {

using namespace conoscope::methods;
using namespace conoscope::numerics;

constexpr Index kImages = 2000, kPositions = 49, kWidth = 512, kConcepts = 25, kDesign = 32;

struct Scene {
  MatrixF x;      ///< activations
  Matrix bank;    ///< the parts they are mixed from
  Matrix scores;  ///< with those weights
  Matrix weight;  ///< of one logit, by position
};

const Scene& scene() {
  static const Scene s = [] {
    Random random{Seed(1)};
    Scene out;
    out.bank.resize(kConcepts, kWidth);
    out.scores.resize(kImages * kPositions, kConcepts);
    for (Index i = 0; i < out.bank.size(); ++i) out.bank.data()[i] = std::abs(random.normal());
    for (Index i = 0; i < out.scores.size(); ++i)
      out.scores.data()[i] = random.uniform() < 0.2 ? std::abs(random.normal()) : 0.0;
    out.x = (out.scores * out.bank).cast<float>();
    for (Index i = 0; i < out.x.size(); ++i)
      out.x.data()[i] =
          std::max(0.0f, out.x.data()[i] + 0.3f * static_cast<float>(random.normal()));
    Matrix w(1, kWidth);
    for (Index i = 0; i < kWidth; ++i) w(0, i) = random.normal();
    out.weight = w.replicate(kPositions, 1) / static_cast<double>(kPositions);
    return out;
  }();
  return s;
}

Matrix by_masking(Index images) {
  const Scene& s = scene();
  return sobol_total_sampled(images, halton_design(kDesign, kConcepts),
                             [&s](Index i, const Matrix& masks) {
                               const auto mine = s.scores.middleRows(i * kPositions, kPositions);
                               Vector logits(masks.rows());
                               Matrix rebuilt;
                               for (Index m = 0; m < masks.rows(); ++m) {
                                 rebuilt.noalias() = mine * masks.row(m).asDiagonal() * s.bank;
                                 logits[m] = rebuilt.cwiseProduct(s.weight).sum() + 0.3;
                               }
                               return logits;
                             });
}

Matrix closed_form(const Matrix& scores) {
  return sobol_total_linear(concept_contributions(scores, scene().bank, scene().weight),
                            halton_design(kDesign, kConcepts));
}

void check_against_masking(benchmark::State& state, const Matrix& total) {
  static const Matrix expected = by_masking(2);
  if ((total.topRows(2) - expected).cwiseAbs().maxCoeff() > 1e-9)
    state.SkipWithError("not what masking gives");
}

/// Reference: about 60 s.
void craft_importance_2000_images(benchmark::State& state) {
  Matrix total;
  scene();
  for (auto _ : state) total = closed_form(scene().scores);
  check_against_masking(state, total);
}

/// The same with the scores found first: transform of 98,000 x 512, in double.
void craft_transform_and_importance_2000_images(benchmark::State& state) {
  static const Matrix x = scene().x.cast<double>();
  Matrix scores, total;
  for (auto _ : state) {
    scores = nmf_transform(x, scene().bank, {.alpha_w = 1e-2});
    total = closed_form(scores);
  }
  if (!(frobenius_error(x, scores, scene().bank) < 0.2 * x.norm()) || !total.allFinite())
    state.SkipWithError("the scores do not rebuild the rows");
}

/// The long way round: 20 of the 2000 images.
void craft_importance_by_masking_20_images(benchmark::State& state) {
  Matrix total;
  scene();
  for (auto _ : state) total = by_masking(20);
  if ((total - closed_form(scene().scores).topRows(20)).cwiseAbs().maxCoeff() > 1e-9)
    state.SkipWithError("not what the closed form gives");
}

void minibatch_nmf_4_passes(benchmark::State& state) {
  const MatrixF& x = scene().x;
  static const NmfFactors<float> start = nmf_initialise(x, kConcepts, NmfInit::kRandom, Seed(1));
  MiniBatchNmfResult<float> r;
  for (auto _ : state)
    r = minibatch_nmf_from(x, start.w, start.h,
                           {.tol = 0.0, .max_no_improvement = 0, .max_iter = 4});
  if (!(r.error < frobenius_error(x, start.w, start.h)) || r.h.minCoeff() < 0.0f)
    state.SkipWithError("the error did not fall");
}

/// As CRAFT fits it: float32, nndsvda, penalty 1e-2, to its own tolerance.
void craft_fit_98000_rows(benchmark::State& state) {
  NmfResult<float> r;
  scene();
  for (auto _ : state) r = nmf(scene().x, kConcepts, Seed(1), {.alpha_w = 1e-2});
  state.counters["sweeps"] = r.iterations;
  if (!(r.error < 0.5 * static_cast<double>(scene().x.norm())))
    state.SkipWithError("the parts do not rebuild the rows");
}

BENCHMARK(craft_importance_2000_images)->Unit(benchmark::kMillisecond);
BENCHMARK(craft_transform_and_importance_2000_images)->Unit(benchmark::kMillisecond);
BENCHMARK(craft_importance_by_masking_20_images)->Unit(benchmark::kMillisecond);
BENCHMARK(minibatch_nmf_4_passes)->Unit(benchmark::kMillisecond);
BENCHMARK(craft_fit_98000_rows)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
