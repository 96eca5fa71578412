// SPDX-License-Identifier: Apache-2.0
// How the cost of each explainer grows: seconds of one fit through the C border, as the host pays
// them, while one size is doubled three times from a small base and the others stay.
//
//   N  samples of each class    D  features    K  concepts per class    C  classes (N of each)
//
// `exponent` is the slope of log seconds over log size by least squares: 1 is linear. Numbers of
// iterations and epochs are fixed, so that it is that of the work and not of the data. CPU seconds,
// the smaller of two fits. Every fit is checked: shapes, and that all numbers are finite.

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"
#include "tests/support/head_bundle.h"
#include "tests/support/plugin_driver.h"

namespace {

using namespace conoscope::testing;

constexpr std::int64_t kPositions = 2;
constexpr std::array<std::int64_t, 4> kFactors = {1, 2, 4, 8};
constexpr int kRuns = 2;

struct Sizes {
  std::int64_t n = 1000, d = 64, k = 4, c = 2;
};

/// Sample i belongs to class i % C: rectified noise on a pattern of its class, which is the class's
/// row of the head too. Segments: the positions, as if each had been run by itself.
Bundle head_of(const Sizes& sizes) {
  const Rows patterns = normal_rows(sizes.c, sizes.d, 1);
  Rows rows = normal_rows(sizes.n * sizes.c * kPositions, sizes.d, 2);
  std::vector<std::int64_t> samples;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::Index sample = i / kPositions;
    rows.row(i) = (rows.row(i) + 0.5 * patterns.row(sample % sizes.c)).cwiseMax(0.0);
    samples.push_back(sample);
  }
  Bundle head = head_bundle<double>(rows, kPositions, patterns,
                                    std::vector<double>(static_cast<std::size_t>(sizes.c), 0.0));
  head.arrays["segment_embeddings"] =
      OwnedArray::of<double>({rows.rows(), rows.cols()}, flat(rows));
  head.arrays["segment_sample"] = OwnedArray::of<std::int64_t>({rows.rows()}, samples);
  return head;
}

struct Method {
  std::string id;
  std::function<Arguments(const Sizes&)> arguments;
  enum { kPerClass, kSubspaces, kShared } kind = kPerClass;
};

Arguments with_k(const Sizes& sizes, Arguments more = {}) {
  more["k"] = sizes.k;
  return more;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {"kmeans",
       [](const Sizes& s) {
         return with_k(s, {{"n_init", 2}, {"max_iter", 20}, {"tol", 0.0}});
       }},
      {"nmf",
       [](const Sizes& s) {
         return with_k(s, {{"max_iter", 20}, {"tol", 0.0}});
       }},
      {"ice",
       [](const Sizes& s) {
         return with_k(s, {{"max_iter", 20}, {"tol", 0.0}});
       }},
      {"craft",
       [](const Sizes& s) {
         return with_k(s, {{"max_iter", 20}, {"tol", 0.0}});
       }},
      {"svd", [](const Sizes& s) { return with_k(s); }},
      {"pca", [](const Sizes& s) { return with_k(s); }},
      {"cdisco", [](const Sizes& s) { return with_k(s); }},
      {"mcd", [](const Sizes& s) { return with_k(s); }, Method::kSubspaces},
      {"hu_mcd",
       [](const Sizes& s) {
         return Arguments{{"clusters", s.k}, {"min_segments", 2}, {"max_samples", 1000000}};
       },
       Method::kSubspaces},
      {"topk_sae",
       [](const Sizes& s) {
         return Arguments{{"latents", s.k * s.c}, {"k", 4}, {"epochs", 5}};
       },
       Method::kShared},
      {"c_shap",
       [](const Sizes& s) {
         return Arguments{{"concepts", s.k * s.c},
                          {"k", 4},
                          {"epochs", 3},
                          {"hidden", 100},
                          {"coalitions", 300}};
       },
       Method::kShared},
  };
  return all;
}

/// throws  std::runtime_error: not what such a fit must leave
void check(const Method& method, const Sizes& sizes, const Outcome& outcome) {
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error(method.id + ": " + what);
  };
  if (outcome.status != CONO_OK) fail(outcome.error);
  const auto& shape = outcome.out.shape("cavs");
  if (shape.size() != 2 || shape[1] != sizes.d) fail("cavs of another width");
  const std::int64_t all = sizes.k * sizes.c;
  if (method.kind == Method::kPerClass && shape[0] != all) fail("another number of cavs");
  // Several dimensions each; hu_mcd may drop small clusters, c_shap duplicates.
  if (method.kind == Method::kSubspaces && shape[0] < sizes.c) fail("too few cavs");
  if (method.kind == Method::kShared && (shape[0] < 1 || shape[0] > all)) fail("too many cavs");
  for (const char* name : {"cavs", "importance"})
    for (const double value : outcome.out.values<double>(name))
      if (!std::isfinite(value)) fail(std::string(name) + " not finite");
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double fit_seconds(const Plugin& plugin, const Method& method, const Sizes& sizes) {
  const Bundle head = head_of(sizes);
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const double start = cpu_seconds();
    const Outcome outcome = plugin.fit_explainer(method.arguments(sizes), head);
    least = std::min(least, cpu_seconds() - start);
    check(method, sizes, outcome);
  }
  return least;
}

/// Slope of the least-squares line through (log size, log seconds).
double slope(const std::vector<double>& sizes, const std::vector<double>& seconds) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double a = std::log(sizes[i]), b = std::log(seconds[i]);
    x += a / n;
    y += b / n;
    xx += a * a / n;
    xy += a * b / n;
  }
  return (xy - x * y) / (xx - x * x);
}

void growth(benchmark::State& state, const Method& method, std::int64_t Sizes::*size) {
  const Plugin plugin(plugin_file(method.id));
  std::vector<double> factors, seconds;
  for (auto _ : state) {
    factors.clear();
    seconds.clear();
    try {
      for (const std::int64_t factor : kFactors) {
        Sizes sizes;
        if (method.kind == Method::kSubspaces) sizes.n = 200;  // they compare rows with rows
        sizes.*size *= factor;
        factors.push_back(static_cast<double>(factor));
        seconds.push_back(fit_seconds(plugin, method, sizes));
      }
    } catch (const std::exception& e) {
      return state.SkipWithError(e.what());
    }
    state.SetIterationTime(seconds.back());
  }
  state.counters["exponent"] = slope(factors, seconds);
  state.counters["last_doubling"] = std::log2(seconds.back() / seconds[seconds.size() - 2]);
  state.counters["base_ms"] = seconds.front() * 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  const std::array<std::pair<const char*, std::int64_t Sizes::*>, 4> axes = {
      {{"N", &Sizes::n}, {"D", &Sizes::d}, {"K", &Sizes::k}, {"C", &Sizes::c}}};
  for (const Method& method : methods())
    for (const auto& [name, size] : axes)
      benchmark::RegisterBenchmark(
          ("growth/" + method.id + "/" + name).c_str(),
          [&method, size = size](benchmark::State& state) { growth(state, method, size); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
