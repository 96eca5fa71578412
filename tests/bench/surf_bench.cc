// SPDX-License-Identifier: Apache-2.0
// SURF scoring against the matrix product it cannot do without: Eigen's own, same shapes, same
// process. `ratio_to_gemm` is the product's median CPU time over the scoring's, the two taken in
// turns so that a busy neighbour slows both. 1: everything but the product is free.
//
//   folded         product n x D x C, then MAE, EMD and Top-1
//   folded_ranks   the same, with Rank Corr
//   whole          from activations in float32: read in double, model logits and folded surrogate,
//                  against two products n x D x C
//
// As in a cell: double, through the view that all scores of an explanation share. Model's logits and
// view are given in the first two.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf/surf_emd.h"
#include "metrics/faithfulness/surf/surf_mae.h"
#include "metrics/faithfulness/surf/surf_rank_corr.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "metrics/faithfulness/surf/surf_top1.h"
#include "tests/bench/thread_seconds.h"

namespace {

using namespace conoscope::metrics;
using conoscope::bench::median;
using conoscope::bench::seconds;
using conoscope::sdk::Random;
using conoscope::sdk::Seed;

constexpr Index kOutputs = 100, kConcepts = 5, kWidth = 2048;

struct Problem {
  MatrixF rows;
  HeadView head;
  Explanation explanation;
};

struct Measured {
  Result mae, emd, top1, rank_corr;
};

Measured measure(const Logits& model, const Logits& surrogate, bool ranks) {
  return {surf_mae(model, surrogate), surf_emd(model, surrogate), surf_top1(model, surrogate),
          ranks ? surf_rank_corr(model, surrogate) : Result{}};
}

/// What lies in a file of float32, read as a worker reads it.
RowSource source_of(const MatrixF& rows) {
  return {rows.rows(), rows.cols(), [&rows](Index first, Index count, double* out) {
            Eigen::Map<Matrix>(out, count, rows.cols()) =
                rows.middleRows(first, count).cast<double>();
          }};
}

// Activations as after a ReLU; the explanation is near the model, so that no measure is at its end.
const Problem& problem(Index n) {
  static Problem made;
  if (made.rows.rows() == n) return made;
  Random random{Seed(1)};
  made = {};
  made.rows.resize(n, kWidth);
  for (Index i = 0; i < made.rows.size(); ++i)
    made.rows.data()[i] = static_cast<float>(std::max(0.0, random.uniform(-1.0, 1.0)));
  made.head.activations = source_of(made.rows);
  made.head.weight.resize(kOutputs, kWidth);
  for (Index i = 0; i < made.head.weight.size(); ++i)
    made.head.weight.data()[i] = 0.1 * random.normal();
  made.head.bias.resize(kOutputs);
  for (double& b : made.head.bias) b = random.normal();
  Explanation& explanation = made.explanation;
  explanation.cavs.resize(kOutputs * kConcepts, kWidth);
  explanation.importance.resize(kOutputs * kConcepts);
  explanation.offset = {0};
  for (Index c = 0; c < kOutputs; ++c) {
    for (Index k = c * kConcepts; k < (c + 1) * kConcepts; ++k) {
      for (Index d = 0; d < kWidth; ++d)
        explanation.cavs(k, d) = made.head.weight(c, d) + 0.05 * random.normal();
      explanation.importance(k) = 1.0 / kConcepts;
    }
    explanation.offset.push_back((c + 1) * kConcepts);
  }
  return made;
}

// The measures of some rows in plain double loops.
std::string mismatch(const Problem& p, const Measured& measured) {
  const auto close = [](double a, double b) {
    return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(b));
  };
  for (Index i = 0; i < p.rows.rows(); i += 1 + p.rows.rows() / 16) {
    std::vector<double> y(kOutputs), s(kOutputs);
    for (Index c = 0; c < kOutputs; ++c) {
      double model = p.head.bias(c), surrogate = p.head.bias(c);
      for (Index d = 0; d < kWidth; ++d) {
        const double h = p.rows(i, d);
        model += h * p.head.weight(c, d);
        for (Index k = c * kConcepts; k < (c + 1) * kConcepts; ++k)
          surrogate += p.explanation.importance(k) * h * p.explanation.cavs(k, d);
      }
      y[static_cast<size_t>(c)] = model;
      s[static_cast<size_t>(c)] = surrogate;
    }
    const double y_max = *std::max_element(y.begin(), y.end());
    const double s_max = *std::max_element(s.begin(), s.end());
    double mae = 0.0, emd = 0.0, y_sum = 0.0, s_sum = 0.0;
    for (size_t c = 0; c < y.size(); ++c) {
      mae += std::abs(y[c] - s[c]) / kOutputs;
      y_sum += std::exp(y[c] - y_max);
      s_sum += std::exp(s[c] - s_max);
    }
    for (size_t c = 0; c < y.size(); ++c)
      emd += 0.5 * std::abs(std::exp(y[c] - y_max) / y_sum - std::exp(s[c] - s_max) / s_sum);
    const auto row = static_cast<size_t>(i);
    if (!close(measured.mae.parts[row], mae)) return "mae of row " + std::to_string(i);
    if (!close(measured.emd.parts[row], emd)) return "emd of row " + std::to_string(i);
  }
  return measured.top1.value > 0.0 && measured.top1.value < 1.0 ? "" : "top1 is at an end";
}

enum class Work { kFolded, kFoldedRanks, kWhole };

void surf(benchmark::State& state, Work work) {
  const Problem& p = problem(state.range(0));
  const Index n = p.rows.rows();
  const Index columns = kOutputs;
  const int products = work == Work::kWhole ? 2 : 1;
  const Matrix factor = p.explanation.cavs.topRows(columns), rows = p.rows.cast<double>();
  Matrix product(n, columns);
  const ExplainedHead shared(p.head, p.explanation);
  const Logits model = model_logits(p.head);

  std::vector<double> gemm_times, surf_times;
  Measured measured;
  for (auto _ : state) {
    state.PauseTiming();
    gemm_times.push_back(seconds([&] {
      for (int i = 0; i < products; ++i) {
        product.noalias() = rows * factor.transpose();
        benchmark::DoNotOptimize(product.data());
      }
    }));
    state.ResumeTiming();
    surf_times.push_back(seconds([&] {
      if (work == Work::kWhole) {
        const ExplainedHead of(p.head, p.explanation);
        measured = measure(model_logits(of.pooled(), p.head.weight, p.head.bias),
                           surf_surrogate(of), false);
      } else {
        measured = measure(model, surf_surrogate(shared), work == Work::kFoldedRanks);
      }
      benchmark::DoNotOptimize(measured);
    }));
  }
  const std::string wrong = mismatch(p, measured);
  if (!wrong.empty()) state.SkipWithError(("wrong " + wrong).c_str());
  const double gemm = median(std::move(gemm_times)), scoring = median(std::move(surf_times));
  const double flop = 2.0 * static_cast<double>(n * kWidth * columns) * products;
  state.counters["ratio_to_gemm"] = gemm / scoring;
  state.counters["gemm_gflops"] = flop / gemm * 1e-9;
  state.counters["surf_gflops"] = flop / scoring * 1e-9;
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgName("n")
      ->Arg(1000)
      ->Arg(3000)
      ->Arg(10000)
      ->Unit(benchmark::kMillisecond)
      ->MinTime(1.0);
}

BENCHMARK_CAPTURE(surf, folded, Work::kFolded)->Apply(sizes);
BENCHMARK_CAPTURE(surf, folded_ranks, Work::kFoldedRanks)->Apply(sizes);
BENCHMARK_CAPTURE(surf, whole, Work::kWhole)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
