// SPDX-License-Identifier: Apache-2.0
// A store of 1e6 scores (5 datasets x 5 models x 20 explainers x 4 controls x 25 seeds, 20
// metrics): boards, what is to do, export, and merging it into an empty store and again.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/boards/status.h"
#include "results/store/export.h"
#include "results/store/merge.h"
#include "results/store/sqlite.h"
#include "tests/support/scratch.h"

namespace {

using namespace conoscope::results;

constexpr int kDatasets = 5, kModels = 5, kExplainers = 20, kSeeds = 25, kMetrics = 20;
const std::vector<std::string> kControls = {"none", "random_concepts", "random_importance",
                                            "random_model"};
constexpr int kCells = kDatasets * kModels * kExplainers * 4 * kSeeds;

class Hexadecimal {
 public:
  std::string operator()(int length) {
    std::string text;
    for (int i = 0; i < length; ++i) text += "0123456789abcdef"[random_() & 15];
    return text;
  }

 private:
  std::mt19937_64 random_{5};
};

// Built once, removed at the end. Keys have the length of real ones, for they decide the speed.
class LargeStore {
 public:
  LargeStore() {
    Store store = Store::open(path(), Mode::kReadWrite);
    // One fsync for each of 50 000 attempts would take minutes here.
    store.connection().execute("PRAGMA synchronous = OFF");
    Hexadecimal hexadecimal;
    std::vector<ComponentRow> components;
    const auto component = [&](const char* kind, int number) {
      const std::string id = kind + std::to_string(number);
      components.push_back({hexadecimal(64), kind, id, "1.0.0", "{}", "", id});
      return components.back().key;
    };
    std::vector<std::string> datasets, models, explainers;
    for (int i = 0; i < kDatasets; ++i) datasets.push_back(component("dataset", i));
    for (int i = 0; i < kModels; ++i) models.push_back(component("model", i));
    for (int i = 0; i < kExplainers; ++i) explainers.push_back(component("explainer", i));
    std::vector<CellRow> cells;
    for (const auto& dataset : datasets)
      for (const auto& model : models)
        for (const auto& explainer : explainers)
          for (const auto& control : kControls)
            for (int seed = 0; seed < kSeeds; ++seed)
              cells.push_back({hexadecimal(64), dataset, model, explainer, seed, control});
    std::vector<MetricKeyRow> metrics;
    for (int i = 0; i < kMetrics; ++i)
      metrics.push_back({"metric_number_" + std::to_string(i), "g", "higher", 0, 1, "", "", ""});
    const EnvironmentRow here = environment_row("");
    store.add_environment(here);
    store.register_run({"run", "run", "", utc_text({})}, components, cells, metrics);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      AttemptRow attempt;
      attempt.id = hexadecimal(32);
      attempt.cell = cells[i].key;
      attempt.run = "run";
      attempt.environment = here.key;
      attempt.stage = "done";
      attempt.started_at = utc_text(std::chrono::system_clock::time_point(std::chrono::seconds(i)));
      std::vector<ScoreRow> scores;
      // Explainer e scores e / 20, seeds scatter around it with mean 0.
      const double level = static_cast<double>(i / (4 * kSeeds) % kExplainers) / kExplainers;
      const double offset = (static_cast<double>(i % kSeeds) - (kSeeds - 1) / 2.0) / 1000;
      for (const auto& metric : metrics) scores.push_back(score_row(metric.metric, level + offset));
      store.record(attempt, scores);
    }
  }

  std::filesystem::path path() const { return folder_ / "large.db"; }
  std::filesystem::path other() const { return folder_ / "other.db"; }

 private:
  conoscope::testing::Scratch folder_;
};

LargeStore& large() {
  static LargeStore store;
  return store;
}

void one_metric(benchmark::State& state) {
  Store store = Store::open(large().path(), Mode::kReadOnly);
  BoardOptions options;
  options.run = "run";
  options.metrics = {"metric_number_3"};
  options.controls = state.range(0) != 0;
  for (auto _ : state) {
    const Table table = board(store, options);
    // The best of each (dataset, model) is the last explainer with mean 0.95, of all 25 seeds.
    const auto best = std::get<Estimate>(table.rows.at(0)[5]);
    if (table.rows.size() != kDatasets * kModels * kExplainers ||
        std::get<std::string>(table.rows[0][3]) != "explainer19" || best.n != kSeeds ||
        std::abs(best.mean - 0.95) > 1e-12)
      state.SkipWithError("wrong board");
  }
}
BENCHMARK(one_metric)->ArgName("controls")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void one_dataset(benchmark::State& state) {
  Store store = Store::open(large().path(), Mode::kReadOnly);
  BoardOptions options;
  options.metrics = {"metric_number_3"};
  options.dataset = "dataset2";
  options.model = "model1";
  for (auto _ : state)
    if (board(store, options).rows.size() != kExplainers) state.SkipWithError("wrong board");
}
BENCHMARK(one_dataset)->Unit(benchmark::kMillisecond);

void to_do(benchmark::State& state) {
  Store store = Store::open(large().path(), Mode::kReadOnly);
  std::vector<std::string> cells;
  Statement query(store.connection(), "SELECT key FROM cell");
  while (query.step()) cells.push_back(query.text(0));
  const std::vector<std::string> metrics = store.run_metrics("run");
  for (auto _ : state)
    for (const std::string& cell : cells)
      if (store.known(cell).scores.size() != metrics.size()) state.SkipWithError("wrong scores");
}
BENCHMARK(to_do)->Unit(benchmark::kMillisecond);

void export_all(benchmark::State& state) {
  Store store = Store::open(large().path(), Mode::kReadOnly);
  for (auto _ : state)
    if (export_table(store).rows.size() != std::size_t{kCells} * kMetrics)
      state.SkipWithError("wrong export");
}
BENCHMARK(export_all)->Unit(benchmark::kMillisecond)->Iterations(1);

void merge_all(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    for (const char* tail : {"", "-wal", "-shm"})
      std::filesystem::remove(large().other().string() + tail);
    Store into = Store::open(large().other(), Mode::kReadWrite);
    state.ResumeTiming();
    if (merge(into, large().path()).at("score") != std::int64_t{kCells} * kMetrics)
      state.SkipWithError("wrong merge");
  }
  state.SetItemsProcessed(state.iterations() * kCells * kMetrics);
}
BENCHMARK(merge_all)->Unit(benchmark::kMillisecond)->Iterations(1);

void merge_again(benchmark::State& state) {
  Store into = Store::open(large().other(), Mode::kReadWrite);
  merge(into, large().path());
  for (auto _ : state)
    if (merge(into, large().path()).at("score") != 0) state.SkipWithError("wrong merge");
  state.SetItemsProcessed(state.iterations() * kCells * kMetrics);
}
BENCHMARK(merge_again)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
