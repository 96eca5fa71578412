// SPDX-License-Identifier: Apache-2.0
// What the host adds to a cell: runs of many cells whose work is next to nothing (`perfect` on a
// head of 2 x 3), one worker at a time. The time of a run, less that of one that has nothing to do,
// less spawn and wait of the same binary for each worker, divided by the workers. Target: < 5 ms.
// The same in CPU time, which says more on a busy machine.

#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "numerics/sha256.h"
#include "tests/support/command.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"

extern char** environ;

namespace {

using namespace conoscope::testing;

constexpr int kSeeds = 40;
// One worker each: scores per seed and control, the dataset per seed, and the model and the
// explanation, which depend on the dataset, per seed.
constexpr int kCells = 3 * kSeeds;
constexpr int kWorkers = kCells + 3 * kSeeds;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// CPU seconds of all children that ended, and of theirs.
double children_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Wall and CPU time of something done in child processes.
struct Cost {
  double wall = 0, cpu = 0;
};
template <typename Do>
Cost cost_of(Do&& act) {
  const auto start = std::chrono::steady_clock::now();
  const double before = children_seconds();
  act();
  return {seconds_since(start), children_seconds() - before};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// spawn and wait of the same binary when it does nothing: medians.
Cost spawn_cost(int turns) {
  std::string file = built_conoscope().string(), word = "--version";
  char* words[] = {file.data(), word.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
  std::vector<double> wall;
  const Cost all = cost_of([&] {
    for (int i = 0; i < turns; ++i)
      wall.push_back(cost_of([&] {
                       pid_t pid = 0;
                       int status = 0;
                       if (::posix_spawn(&pid, words[0], &actions, nullptr, words, environ) == 0)
                         ::waitpid(pid, &status, 0);
                     }).wall);
  });
  posix_spawn_file_actions_destroy(&actions);
  return {median(wall), all.cpu / turns};
}

class TinyRun {
 public:
  TinyRun() {
    scratch_.write("a.npy",
                   npy_bytes<float>("<f4", "(4, 3)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}));
    scratch_.write("w.npy", npy_bytes<float>("<f4", "(2, 3)", {1, -1, 0.5f, 0.25f, 2, -2}));
    scratch_.write("b.npy", npy_bytes<float>("<f4", "(2,)", {0, 1}));
    std::string seeds;
    for (int i = 0; i < kSeeds; ++i) seeds += (i ? ", " : "") + std::to_string(i);
    scratch_.write("run.toml",
                   "seeds = [" + seeds +
                       "]\nmetrics = [\"surf_mae\"]\n"
                       "controls = [\"none\", \"random_importance\", \"random_concepts\"]\n"
                       "[[dataset]]\nid = \"precomputed\"\nparams = { activations = \"a.npy\", "
                       "head_weight = \"w.npy\", head_bias = \"b.npy\" }\n"
                       "[[model]]\nid = \"precomputed\"\n[[explainer]]\nid = \"perfect\"\n");
  }

  Ended run() const {
    return Command({built_conoscope().string(), "run", scratch_.path("run.toml"), "--no-board",
                    "-j", "1"})
        .set("HOME", scratch_.path("home"))
        .set("CONOSCOPE_STORE", scratch_.path("results.db"))
        .set("CONOSCOPE_CACHE", scratch_.path("cache"))
        .run();
  }

  int artifacts() const {
    int count = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(scratch_.path("cache") + "/artifacts"))
      count += entry.path().filename() == "texts.tsv";
    return count;
  }

 private:
  Scratch scratch_;
};

void cell_overhead(benchmark::State& state) {
  std::vector<double> wall, cpu, spawn_wall, spawn_cpu;
  // Removed at the end: ext4 does not reuse an inode in its first seconds, and searches long for
  // others once many were freed.
  std::deque<TinyRun> runs;
  for (auto _ : state) {
    const Cost spawn = spawn_cost(50);
    const TinyRun& tiny = runs.emplace_back();
    Ended whole, nothing;
    const Cost work = cost_of([&] { whole = tiny.run(); });
    const Cost idle = cost_of([&] { nothing = tiny.run(); });
    if (whole.code != 0 || whole.err.find(std::to_string(kCells) + " ok in") == std::string::npos ||
        nothing.err.find(", 0 to do now") == std::string::npos ||
        tiny.artifacts() != kWorkers - kCells)
      return state.SkipWithError("not every cell is ok, or another number of workers");
    wall.push_back(((work.wall - idle.wall) / kWorkers - spawn.wall) * 1e3);
    cpu.push_back(((work.cpu - idle.cpu) / kWorkers - spawn.cpu) * 1e3);
    spawn_wall.push_back(spawn.wall * 1e3);
    spawn_cpu.push_back(spawn.cpu * 1e3);
    state.SetIterationTime(work.wall);
  }
  state.counters["overhead_ms"] = median(wall);
  state.counters["overhead_cpu_ms"] = median(cpu);
  state.counters["spawn_ms"] = median(spawn_wall);
  state.counters["spawn_cpu_ms"] = median(spawn_cpu);
}

/// Leaves the upper half of a vector register in use, as code does that was compiled for AVX.
void use_upper_halves() {
#if defined(__AVX2__)
  asm volatile("vpcmpeqd %%ymm15, %%ymm15, %%ymm15" ::: "xmm15");
#endif
}

/// What a worker pays once for every byte of the artifacts that it opens. The same among AVX code,
/// in turn, must cost no more: `among_avx` is the median ratio of the two.
void hash_artifact(benchmark::State& state) {
  const std::vector<char> bytes(std::size_t{256} << 20, 'x');
  std::string digest;
  const auto seconds_of_hash = [&](bool among_avx) {
    const auto start = std::chrono::steady_clock::now();
    conoscope::numerics::Sha256 hash;
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    for (std::size_t from = 0; from < bytes.size(); from += kPiece) {
      if (among_avx) use_upper_halves();
      hash.update(std::span(bytes).subspan(from, kPiece));
    }
    digest = hash.hex();
    return seconds_since(start);
  };
  std::vector<double> ratios;
  for (auto _ : state) {
    const double alone = seconds_of_hash(false);
    state.SetIterationTime(alone);
    ratios.push_back(seconds_of_hash(true) / alone);
    if (digest != "8531f9720e3f5ce15fde831a4c677c501b3ef320d4f156c1248299cd9955392d")
      return state.SkipWithError("a wrong hash");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes.size()));
  state.counters["among_avx"] = median(ratios);
}

}  // namespace

BENCHMARK(hash_artifact)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(cell_overhead)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

BENCHMARK_MAIN();
