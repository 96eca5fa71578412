// Mutual information by nearest neighbours, and leakage between many concepts: CPU time of the
// thread. Estimates are checked against counting all pairs in plain double loops.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"
#include "metrics/information/mi_ksg.h"
#include "metrics/information/mi_ross.h"
#include "metrics/leakage/ctl_icl.h"
#include "metrics/leakage/leakage_null.h"
#include "numerics/digamma.h"
#include "tests/bench/thread_seconds.h"

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;
using conoscope::bench::median;
using conoscope::bench::seconds;
using conoscope::sdk::Random;
using conoscope::sdk::Seed;

constexpr Index kNeighbours = 3;

struct Data {
  Matrix x, y;
  IndexVector labels;
};

// y follows x; the label shifts x.
Data make_data(Index n, Index d) {
  Random random{Seed(1)};
  Data out{Matrix(n, d), Matrix(n, d), {}};
  for (Index i = 0; i < n; ++i) {
    out.labels.push_back(random.uniform(0.0, 1.0) < 0.5);
    for (Index c = 0; c < d; ++c) {
      out.x(i, c) = random.normal() + static_cast<double>(out.labels.back());
      out.y(i, c) = 0.7 * out.x(i, c) + 0.7 * random.normal();
    }
  }
  return out;
}

double kth_smallest(std::vector<double> values, Index k) {
  std::nth_element(values.begin(), values.begin() + (k - 1), values.end());
  return values[static_cast<size_t>(k - 1)];
}

double plain_ksg(const Data& data) {
  const Index n = data.x.rows();
  const std::vector<double> psi = digamma_table(n);
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    std::vector<double> dx, dy, joint;
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      dx.push_back((data.x.row(i) - data.x.row(j)).cwiseAbs().maxCoeff());
      dy.push_back((data.y.row(i) - data.y.row(j)).cwiseAbs().maxCoeff());
      joint.push_back(std::max(dx.back(), dy.back()));
    }
    const double r = kth_smallest(joint, kNeighbours);
    for (const auto* side : {&dx, &dy})
      sum += psi[static_cast<size_t>(
          std::count_if(side->begin(), side->end(), [r](double v) { return v < r; }))];
  }
  return std::max(0.0, psi.back() + psi[kNeighbours - 1] - sum / static_cast<double>(n));
}

double plain_ross(const Data& data) {
  const Index n = data.x.rows();
  const std::vector<double> psi = digamma_table(n);
  const auto ones = std::count(data.labels.begin(), data.labels.end(), 1);
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    const Index mine = data.labels[static_cast<size_t>(i)];
    std::vector<double> all, same;
    for (Index j = 0; j < n; ++j) {
      double squared = 0.0;
      for (Index c = 0; c < data.x.cols(); ++c)
        squared += (data.x(i, c) - data.x(j, c)) * (data.x(i, c) - data.x(j, c));
      all.push_back(squared);
      if (j != i && data.labels[static_cast<size_t>(j)] == mine) same.push_back(squared);
    }
    const double r = kth_smallest(same, kNeighbours);
    const auto within = std::count_if(all.begin(), all.end(), [r](double v) { return v < r; });
    sum += psi[static_cast<size_t>(within - 1)] +
           psi[static_cast<size_t>((mine == 1 ? ones : n - ones) - 1)];
  }
  return std::max(0.0, psi.back() + psi[kNeighbours - 1] - sum / static_cast<double>(n));
}

void report(benchmark::State& state, std::vector<double> times) {
  state.counters["cpu_ms"] = median(std::move(times)) * 1e3;
}

void ksg(benchmark::State& state) {
  const Index n = state.range(0), d = state.range(1);
  const Data data = make_data(n, d);
  std::vector<double> times;
  MiEstimate found;
  for (auto _ : state) times.push_back(seconds([&] { found = mi_ksg(data.x, data.y); }));
  if (std::abs(found.value - plain_ksg(data)) > 1e-9) state.SkipWithError("wrong estimate");
  report(state, times);
}

void ross(benchmark::State& state) {
  const Index n = state.range(0), d = state.range(1);
  const Data data = make_data(n, d);
  std::vector<double> times;
  MiEstimate found;
  for (auto _ : state) times.push_back(seconds([&] { found = mi_ross(data.x, data.labels); }));
  if (std::abs(found.value - plain_ross(data)) > 1e-9) state.SkipWithError("wrong estimate");
  report(state, times);
}

struct Concepts {
  Matrix predicted, truth;
  IndexVector labels;
};

// Soft concepts that share a factor and lean on the label.
Concepts make_concepts(Index n, Index k, double leak) {
  Random random{Seed(2)};
  Concepts out{Matrix(n, k), Matrix(n, k), {}};
  for (Index i = 0; i < n; ++i) {
    const double shared = random.normal();
    out.labels.push_back(shared + random.normal() > 0.0);
    for (Index j = 0; j < k; ++j) {
      const double z = 0.5 * shared + random.normal();
      out.truth(i, j) = z > 0.0;
      out.predicted(i, j) = 1.0 / (1.0 + std::exp(-2.0 * z - leak * shared));
    }
  }
  return out;
}

void leakage(benchmark::State& state) {
  const Index k = state.range(0);
  const Concepts data = make_concepts(10000, k, 0.5);
  const Matrix &predicted = data.predicted, &truth = data.truth;
  const IndexVector& labels = data.labels;
  std::vector<double> times;
  Ctl task;
  Icl between;
  for (auto _ : state)
    times.push_back(seconds([&] {
      task = ctl(predicted, truth, labels);
      between = icl(predicted, truth);
    }));
  // The first pair and the last concept again, in plain loops.
  const Data first{predicted.col(0), predicted.col(1), {}}, last{predicted.col(k - 1), {}, labels};
  if (std::abs(between.predicted.pair.front() - plain_ksg(first)) > 1e-9 ||
      std::abs(task.predicted.mi.back() - plain_ross(last)) > 1e-9)
    state.SkipWithError("wrong estimate");
  report(state, times);
}

// A pair's permutation null, and the same values put in their new places and sorted again: what the
// estimates do not share is what sorting costs.
void permuted_pairs(benchmark::State& state) {
  constexpr Index kPermutations = 20;
  const Data data = make_data(state.range(0), 1);
  const Vector x = data.x.col(0), y = data.y.col(0);
  const SortedValues sorted_x(x), sorted_y(y);
  const KsgScalar one(sorted_x);
  conoscope::numerics::Random draws(3);
  std::vector<std::vector<std::int32_t>> orders;
  for (Index p = 0; p < kPermutations; ++p) {
    orders.emplace_back(sorted_y.order().begin(), sorted_y.order().end());
    draws.shuffle(orders.back());
  }
  std::vector<double> times, naive_times, found, naive;
  for (auto _ : state) {
    found.clear();
    naive.clear();
    times.push_back(seconds([&] {
      for (const auto& order : orders) found.push_back(one.with(sorted_y, order).raw);
    }));
    naive_times.push_back(seconds([&] {
      for (const auto& order : orders) {
        Vector moved(y.size());
        for (size_t place = 0; place < order.size(); ++place)
          moved(order[place]) = sorted_y.sorted()[place];
        naive.push_back(mi_ksg(SortedValues(x), SortedValues(moved)).raw);
      }
    }));
  }
  if (found != naive) state.SkipWithError("other estimates than of values sorted again");
  report(state, times);
  state.counters["naive_cpu_ms"] = median(naive_times) * 1e3;
}

// The null beside the scores that it judges; where most of what is tested leaks, no test stops early.
void leakage_null(benchmark::State& state) {
  const Index k = state.range(1);
  const Concepts data = make_concepts(state.range(0), k, 2.0);
  const ConceptColumns predicted = data.predicted, truth = data.truth;
  std::vector<double> times, task, between;
  for (auto _ : state)
    times.push_back(seconds([&] {
      task = ctl_p_values(predicted, truth, data.labels);
      between = icl_p_values(predicted, truth);
    }));
  if (*std::max_element(task.begin(), task.end()) > 0.05 ||
      *std::max_element(between.begin(), between.end()) > 0.05)
    state.SkipWithError("leaking concepts are not significant");
  report(state, times);
}

BENCHMARK(ksg)
    ->ArgNames({"n", "d"})
    ->ArgsProduct({{1000, 10000}, {1, 16}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ross)
    ->ArgNames({"n", "d"})
    ->ArgsProduct({{1000, 10000}, {1, 16}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(permuted_pairs)->ArgName("n")->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);
BENCHMARK(leakage_null)
    ->ArgNames({"n", "k"})
    ->Args({1000, 5})
    ->Args({2000, 10})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(leakage)->ArgName("k")->Arg(5)->Arg(20)->Arg(112)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
