// SPDX-License-Identifier: Apache-2.0
// One cell again, where it can be watched.

#include <csignal>
#include <filesystem>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/default_run.h"
#include "harness/app/options.h"
#include "harness/app/plugin_access.h"
#include "harness/app/store_options.h"
#include "harness/core/names.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/supervisor.h"
#include "results/boards/show.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

/// The plugin's own output is what is looked at: beside it only what ended.
class Quiet final : public core::RunObserver {
 public:
  void cell_finished(const core::CellEnd& end, std::size_t, std::size_t) override {
    std::cerr << end.cell->label() << ": " << results::to_text(end.status);
    if (!end.message.empty()) std::cerr << " (" << end.stage << "): " << end.message;
    std::cerr << '\n';
  }
  void tick(const std::vector<std::pair<std::string, double>>&) override {}
  void message(const std::string& text) override { std::cerr << text << '\n'; }
};

std::size_t wanted_cell(const core::Plan& plan, const std::string& start) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    if (!start.empty() && plan.cells[i].key.starts_with(start)) found.push_back(i);
  if (found.size() == 1) return found[0];
  throw UsageError("debug: " + std::string(found.empty() ? "no cell" : "several cells") + " of " +
                   plan.run_file.path.string() + " begin with \"" + start +
                   "\"; `conoscope plan --cells` lists them");
}

core::Stage wanted_stage(const Options& options, const core::Cell& cell) {
  constexpr core::Stage kStages[] = {core::Stage::kDataset, core::Stage::kModel,
                                     core::Stage::kExplain, core::Stage::kScore};
  if (!options.has("from"))
    return cell.explainer != nullptr ? core::Stage::kExplain : core::Stage::kModel;
  const auto& name = options.get<std::string>("from");
  std::vector<std::string> names;
  for (const core::Stage stage : kStages) {
    if (name == core::to_string(stage)) return stage;
    names.emplace_back(core::to_string(stage));
  }
  throw UsageError("--from " + name + ": no such stage" + core::did_you_mean(name, names));
}

/// What comes before the stage need not be made again where the cache has it.
void copy_earlier(const core::Plan& plan, const core::Cell& cell, core::Stage stage,
                  const fs::path& from, const core::Cache& to) {
  for (const std::size_t score : cell.score_nodes)
    for (const std::size_t i : plan.nodes[score].needs) {
      const core::Node& node = plan.nodes[i];
      if (node.stage >= stage || !core::Cache::has(from, node.key) || to.has(node.key)) continue;
      fs::create_directories(to.path_of(node.key).parent_path());
      fs::copy(core::Cache::path_of(from, node.key), to.path_of(node.key),
               fs::copy_options::recursive);
    }
}

}  // namespace

int debug_command(const Arguments& arguments) {
  Options options(
      "debug CELL [FILE] [options]",
      "Does one cell of a run file again, in the foreground: its plugins share the terminal,\n"
      "and nothing limits their time and memory. What it gives is kept apart, in a store and\n"
      "a cache of its own below the cache. CELL is the start of a key, as `conoscope plan\n"
      "--cells` prints it; FILE as for `conoscope run`.",
      {"conoscope debug 3fa9", "conoscope debug 3fa9 quick.toml --from score"});
  options.positional("words", 2);
  options.text("from", "STAGE",
               "dataset, model, explain or score: what comes before is taken from the cache, "
               "where that has it (default: the explainer's, else the model's stage)");
  options.flag("gdb", "run each of the workers under gdb, which follows the plugin's process");
  options.with_plugins();
  options.with_profile();
  options.with_confinement();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("words")) throw UsageError("debug: which cell?");
  const auto format = options.format();
  const auto& words = options.list("words");
  const core::Plan plan =
      load_plan(words.size() > 1 ? find_run_file(words[1]) : default_run_file(options), options);
  const std::size_t index = wanted_cell(plan, words[0]);
  const core::Cell& cell = plan.cells[index];
  const core::Stage stage = wanted_stage(options, cell);
  std::vector<core::PluginFile> plugins;
  for (const auto* component : {cell.dataset, cell.model, cell.explainer})
    if (component != nullptr) plugins.push_back(component->plugin);
  for (const core::Component& metric : plan.metric_plugins) plugins.push_back(metric.plugin);
  ask_for_access(plugins, options);

  const fs::path folder = options.cache() / "debug" / short_key(cell.key);
  fs::remove_all(folder);
  const core::Cache cache(folder / "cache");
  copy_earlier(plan, cell, stage, options.cache(), cache);
  core::Quarantine quarantine(folder / "quarantine.tsv");
  auto store = results::Store::open(folder / "results.db", results::Mode::kReadWrite);
  core::register_run(plan, store);

  core::RunOptions how;
  how.confine = options.confine();
  how.foreground = true;
  if (options.has("gdb"))
    how.debugger = {"/usr/bin/env",
                    "gdb",
                    "-q",
                    "-ex",
                    "set follow-fork-mode child",
                    "-ex",
                    "set startup-with-shell off",
                    "-ex",
                    "set breakpoint pending on",
                    "-ex",
                    "run",
                    "--args"};
  Quiet observer;
  const auto outcome = core::run_cells(plan, {index}, store, cache, quarantine, how, observer);
  if (outcome.signal != 0) return outcome.signal == SIGINT ? kInterrupted : kStopped;
  const auto report = results::show(store, cell.key);
  if (!report.scores.rows.empty()) std::cout << results::to_text(report.scores, format);
  std::cerr << "kept: conoscope show " << words[0] << " --store "
            << (folder / "results.db").string() << " --cache " << cache.root().string() << '\n';
  return outcome.failed > 0 ? kSomeFailed : kOk;
}

}  // namespace conoscope::app
