// SPDX-License-Identifier: Apache-2.0
// How far a run goes: wall seconds and most memory of the commands over a run of many cells, each with
// ten scores, whose attempts are copies of those of seed 0 with other numbers.
//
//   plan, resume, status, board, history, export   10,000 to 1,000,000 cells (--cells=N: no more)
//   merge                                          10 to 1,000 shards of the run of 10,000 cells
//
// `exponent` is the slope of log seconds over log size between the last two sizes: 1 is linear. A
// command that fails, or that does not see every cell, fails the benchmark. A million cells take 4 GB of
// disk below TMPDIR and some 20 minutes.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "conoscope/sdk/random.h"
#include "results/store/merge.h"
#include "results/store/sqlite.h"
#include "results/store/store.h"
#include "tests/support/command.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"

extern char** environ;

namespace {

using namespace conoscope::testing;
using namespace conoscope::results;
namespace sdk = conoscope::sdk;

constexpr std::int64_t kCellsOfASeed = 18;
constexpr std::int64_t kShardedCells = 10'000;

std::int64_t most_cells = 1'000'000;

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Cost {
  double seconds = 0.0, mib = 0.0;
};

/// A run file, and a store in which it has been done.
class DoneRun {
 public:
  explicit DoneRun(std::int64_t cells) : seeds_(cells / kCellsOfASeed) {
    std::string text = "name = \"many\"\nseeds = [0";
    for (std::int64_t i = 1; i < seeds_; ++i) text += ", " + std::to_string(i);
    text +=
        "]\ncontrols = [\"none\", \"random_concepts\", \"random_importance\"]\n"
        "metrics = [\"surf_mae\", \"surf_emd\", \"surf_top1\", \"surf_rank_corr\", "
        "\"surf_norm_l1\", "
        "\"surf_attr_acc\", \"surf_prob_mae\", \"surf_params\", \"surf_flops\", "
        "\"surf_rank_corr_undefined\"]\n"
        "[[dataset]]\nid = \"precomputed\"\nparams = { activations = \"a.npy\", "
        "head_weight = \"w.npy\", head_bias = \"b.npy\", labels = \"y.npy\" }\n[[model]]\nid = "
        "\"precomputed\"\n"
        "[[explainer]]\nid = \"svd\"\nparams = { k = [1, 2, 3] }\n"
        "[[explainer]]\nid = \"pca\"\nparams = { k = [1, 2, 3] }\n";
    scratch_.write("run.toml", text);
    sdk::Random random(sdk::Seed(1));
    std::vector<float> activations(60 * 6);
    for (float& a : activations) a = static_cast<float>(random.uniform());
    std::vector<std::int64_t> labels(60);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i % 2);
    scratch_.write("a.npy", npy_bytes("<f4", "(60, 6)", activations));
    scratch_.write("w.npy",
                   npy_bytes<float>("<f4", "(2, 6)", {1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1}));
    scratch_.write("b.npy", npy_bytes<float>("<f4", "(2,)", {0, 0}));
    scratch_.write("y.npy", npy_bytes("<i8", "(60,)", labels));
    call({"run", file(), "--no-board", "--only", "seed=0", "--store", store()});
    std::filesystem::copy_file(store(), of_seed_0());
    copy_attempts(store(), [](std::int64_t) { return true; });
  }

  std::string file() const { return scratch_.path("run.toml"); }
  std::string store() const { return scratch_.path("results.db"); }
  std::string path(const std::string& name) const { return scratch_.path(name); }
  /// Knows all cells, and has done those of seed 0.
  std::string of_seed_0() const { return scratch_.path("seed_0.db"); }
  std::int64_t cells() const { return seeds_ * kCellsOfASeed; }

  /// What a command takes. Its output goes into the file `out`.
  Cost call(std::vector<std::string> words) const {
    words.insert(words.begin(), built_conoscope().string());
    std::vector<char*> raw;
    for (std::string& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    ::setenv("CONOSCOPE_CACHE", scratch_.path("cache").c_str(), 1);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string out = path("out");
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const auto start = std::chrono::steady_clock::now();
    pid_t pid = 0;
    int status = -1;
    rusage usage{};
    if (::posix_spawn(&pid, raw[0], &actions, nullptr, raw.data(), environ) == 0)
      ::wait4(pid, &status, 0, &usage);
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0) throw std::runtime_error(words[1] + ": " + text_of(out).substr(0, 1000));
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
            static_cast<double>(usage.ru_maxrss) / 1024};
  }

  /// Records what seed 0 has for these of the other seeds, into a store that knows their cells.
  void copy_attempts(const std::string& store_file,
                     const std::function<bool(std::int64_t)>& wanted) const {
    struct Attempt {
      AttemptRow row;
      std::vector<ScoreRow> scores;
    };
    std::map<std::pair<std::string, std::string>, Attempt> templates;
    Store store = Store::open(store_file, Mode::kReadWrite);
    Store done = Store::open(this->of_seed_0(), Mode::kReadOnly);
    Statement attempts(done.connection(),
                       "SELECT explainer, control, attempt.id, run, environment, stage, seconds, "
                       "peak_memory, binaries FROM attempt JOIN cell ON cell.key = attempt.cell "
                       "WHERE seed = 0");
    while (attempts.step()) {
      Attempt& made = templates[{attempts.text(0), attempts.text(1)}];
      made.row.run = attempts.text(3);
      made.row.environment = attempts.text(4);
      made.row.stage = attempts.text(5);
      made.row.seconds = attempts.real(6);
      made.row.peak_memory = attempts.integer(7);
      made.row.binaries = attempts.text(8);
      Statement scores(done.connection(),
                       "SELECT metric, coalesce(value, 0), coalesce(reason, '') FROM score WHERE "
                       "attempt = ?");
      scores.bind_all(attempts.text(2));
      while (scores.step())
        made.scores.push_back(scores.text(2).empty()
                                  ? ScoreRow{scores.text(0), scores.real(1), ""}
                                  : ScoreRow{scores.text(0), std::nullopt, scores.text(2)});
    }
    // One fsync for each attempt would take hours.
    store.connection().execute("PRAGMA synchronous = OFF");
    std::vector<std::array<std::string, 3>> cells;
    Statement rows(store.connection(),
                   "SELECT key, explainer, control, seed FROM cell WHERE seed > 0");
    while (rows.step())
      if (wanted(rows.integer(3))) cells.push_back({rows.text(0), rows.text(1), rows.text(2)});
    sdk::Random random(sdk::Seed(45));
    for (const auto& [key, explainer, control] : cells) {
      Attempt attempt = templates.at({explainer, control});
      attempt.row.id = key.substr(0, 32);
      attempt.row.cell = key;
      attempt.row.started_at = utc_text(std::chrono::system_clock::now());
      for (ScoreRow& score : attempt.scores)
        if (score.value) *score.value *= 1.0 + 1e-3 * random.uniform();
      store.record(attempt.row, attempt.scores);
    }
  }

 private:
  Scratch scratch_;
  std::int64_t seeds_;
};

/// The run of so many cells, made when it is first asked for; the one before goes.
const DoneRun& done_run(std::int64_t cells) {
  static std::unique_ptr<DoneRun> run;
  static std::int64_t size = 0;
  if (!run || size != cells) {
    run.reset();
    run = std::make_unique<DoneRun>(cells);
    size = cells;
  }
  return *run;
}

void require(const DoneRun& run, const std::string& said) {
  if (text_of(run.path("out")).find(said) == std::string::npos)
    throw std::runtime_error("does not say: " + said);
}

using Act = std::function<Cost(const DoneRun&)>;

const std::vector<std::pair<const char*, Act>>& commands() {
  static const std::vector<std::pair<const char*, Act>> all = {
      {"plan",
       [](const DoneRun& run) {
         const Cost cost = run.call({"plan", run.file(), "--store", run.path("none.db")});
         require(run, std::to_string(run.cells()) + " cells: 0 done");
         return cost;
       }},
      {"resume",
       [](const DoneRun& run) {
         const Cost cost = run.call({"run", run.file(), "--no-board", "--store", run.store()});
         require(run, std::to_string(run.cells()) + " done, 0 to do now");
         return cost;
       }},
      {"status",
       [](const DoneRun& run) {
         const Cost cost = run.call({"status", "--store", run.store()});
         require(run, std::to_string(run.cells()));
         return cost;
       }},
      {"board",
       [](const DoneRun& run) {
         const Cost cost = run.call({"board", "many", "--store", run.store()});
         require(run, "pca(k=3)");
         return cost;
       }},
      {"history",
       [](const DoneRun& run) {
         const Cost cost =
             run.call({"history", "surf_emd", "--format", "csv", "--store", run.store()});
         require(run, "pca(k=3)");
         return cost;
       }},
      {"export",
       [](const DoneRun& run) {
         const Cost cost = run.call({"export", "--format", "csv", "--store", run.store()});
         if (std::filesystem::file_size(run.path("out")) <
             static_cast<std::uintmax_t>(100 * run.cells()))
           throw std::runtime_error("the export lacks cells");
         return cost;
       }},
  };
  return all;
}

/// Counters of a cost at growing sizes.
void report(benchmark::State& state, const std::vector<std::pair<std::int64_t, Cost>>& costs) {
  for (const auto& [size, cost] : costs) {
    state.counters["s_" + std::to_string(size)] = cost.seconds;
    state.counters["MiB_" + std::to_string(size)] = cost.mib;
  }
  state.SetIterationTime(costs.back().second.seconds);
  if (costs.size() < 2) return;
  const auto& [small, before] = costs[costs.size() - 2];
  const auto& [large, after] = costs.back();
  const double grown = std::log(static_cast<double>(large) / static_cast<double>(small));
  state.counters["exponent"] = std::log(after.seconds / before.seconds) / grown;
  state.counters["exponent_MiB"] = std::log(after.mib / before.mib) / grown;
}

/// Every command at one size before the next: a run takes minutes to make.
const std::map<std::string, std::vector<std::pair<std::int64_t, Cost>>>& costs_of_commands() {
  static std::map<std::string, std::vector<std::pair<std::int64_t, Cost>>> costs;
  if (costs.empty())
    for (std::int64_t cells = 10'000; cells <= most_cells; cells *= 10)
      for (const auto& [name, act] : commands()) {
        const DoneRun& run = done_run(cells);
        costs[name].emplace_back(run.cells(), act(run));
      }
  return costs;
}

void command(benchmark::State& state, const char* name) {
  for (auto _ : state) try {
      report(state, costs_of_commands().at(name));
    } catch (const std::exception& e) {
      state.SkipWithError(e.what());
    }
}

/// The shards' stores as `run --shard` leaves them: each knows the cells of the whole run.
void merge_shards(benchmark::State& state) {
  for (auto _ : state) try {
      const DoneRun& run = done_run(kShardedCells);
      std::vector<std::pair<std::int64_t, Cost>> costs;
      for (const std::int64_t shards : {10, 100, 1000}) {
        std::vector<std::string> words = {"merge", "--store", run.path("all.db")};
        for (std::int64_t i = 1; i <= shards; ++i) {
          words.push_back(run.path("shard-" + std::to_string(i) + ".db"));
          std::filesystem::copy_file(run.of_seed_0(), words.back());
          run.copy_attempts(words.back(),
                            [&](std::int64_t seed) { return seed % shards == i - 1; });
        }
        costs.emplace_back(shards, run.call(words));
        Store all = Store::open(run.path("all.db"), Mode::kReadOnly);
        Statement count(all.connection(), "SELECT count(*) FROM attempt");
        if (!count.step() || count.integer(0) != run.cells())
          throw std::runtime_error("attempts are missing");
        words.push_back(run.path("all.db"));
        for (std::size_t i = 2; i < words.size(); ++i) std::filesystem::remove(words[i]);
      }
      report(state, costs);
    } catch (const std::exception& e) {
      state.SkipWithError(e.what());
    }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string option = "--cells=";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]).starts_with(option)) {
      most_cells = std::stoll(argv[i] + option.size());
      std::copy(argv + i + 1, argv + argc--, argv + i);
      break;
    }
  for (const auto& [name, act] : commands())
    benchmark::RegisterBenchmark(name,
                                 [name = name](benchmark::State& state) { command(state, name); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("merge", merge_shards)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
