// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/plan.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <filesystem>
#include <iostream>
#include <set>

#include "harness/app/command.h"
#include "harness/app/default_run.h"
#include "harness/app/options.h"
#include "harness/app/print_split.h"
#include "harness/app/selection.h"
#include "harness/app/store_options.h"
#include "harness/core/artifacts/cache.h"
#include "harness/core/plan/work_graph.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/run_estimate.h"
#include "results/formats/numbers.h"
#include "results/store/store.h"

namespace conoscope::app {

namespace {

void print_graph(const core::Plan& plan, const std::set<std::string>& finished,
                 const std::filesystem::path& cache) {
  std::vector<bool> done;
  for (const auto& node : plan.nodes)
    done.push_back(node.stage == core::Stage::kScore
                       ? finished.count(plan.cells[node.cell].key) != 0
                       : core::Cache::has(cache, node.key));
  core::write_dot(plan, done, std::cout);
}

/// The scores that a cell lacks, where it has others.
std::string lack_of(core::Lacking& lacking, const core::Cell& cell) {
  const auto lack = lacking.scores_of(cell);
  return lack.size() < lacking.asked() ? boost::algorithm::join(lack, " ") : "";
}

using results::Column;

results::Table cell_table(const core::Plan& plan, const std::set<std::string>& finished,
                          const std::vector<std::size_t>& todo, results::Store& store) {
  results::Table table{{Column::text("cell"), Column::text("dataset"), Column::text("model"),
                        Column::text("explainer"), Column::integer("seed"), Column::text("control"),
                        Column::text("state"), Column::text("lacks only")},
                       {}};
  core::Lacking lacking(plan, store);
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const auto& cell = plan.cells[i];
    const bool now = std::binary_search(todo.begin(), todo.end(), i);
    table.add({short_key(cell.key), cell.dataset->name, cell.model->name,
               cell.explainer ? results::Field(cell.explainer->name) : results::Field(), cell.seed,
               cell.control,
               std::string(finished.count(cell.key) ? "done"
                           : now                    ? "to do"
                                                    : "left out"),
               lack_of(lacking, cell)});
  }
  return table;
}

/// Empty: nothing is known.
std::string estimate_text(const core::RunEstimate& estimate) {
  std::vector<std::string> parts;
  if (estimate.seconds) parts.push_back(results::digits_text(*estimate.seconds, 2) + " s of work");
  if (estimate.memory)
    parts.push_back(core::size_text(*estimate.memory) + " of memory for a worker");
  if (estimate.disk)
    parts.push_back("at most " + core::size_text(*estimate.disk) + " more in the cache");
  return boost::algorithm::join(parts, ", ");
}

/// How much there is, and what is wrong with it.
void print_overview(const core::Plan& plan, std::size_t finished,
                    const std::vector<std::size_t>& todo, results::Store& store,
                    const std::filesystem::path& cache) {
  std::cout << plan.run_file.name << ": " << plan.datasets.size() << " datasets, "
            << plan.models.size() << " models, " << plan.explainers.size() << " explainers, "
            << plan.run_file.seeds.size() << " seeds, " << plan.metrics.size() << " scores\n"
            << plan.cells.size() << " cells: " << finished << " done, " << todo.size() << " to do";
  core::Lacking lacking(plan, store);
  if (const auto some = std::ranges::count_if(
          todo, [&](std::size_t i) { return !lack_of(lacking, plan.cells[i]).empty(); });
      some > 0)
    std::cout << ", of which " << some << " lack only some scores";
  std::cout << '\n';
  for (const auto* component : plan.components())
    if (!component->usable())
      std::cout << "refused: " << component->name << ": " << component->plugin.refusal << '\n';
  if (!todo.empty()) {
    const auto text = estimate_text(core::estimate_run(plan, todo, store, cache));
    std::cout << "estimate: "
              << (text.empty() ? "none, some parts were never run"
                               : text + ", by what such cells took before")
              << '\n';
  }
}

}  // namespace

int plan_command(const Arguments& arguments) {
  Options options(
      "plan [FILE] [options]",
      "Prints the cells of a run file: which are done, which are still to do, which do not\n"
      "fit and which view they miss. Nothing is run and nothing is written. FILE as for\n"
      "`conoscope run`; --format is for what --cells and --shard print.",
      {"conoscope plan my.toml", "conoscope plan my.toml --dot | dot -Tsvg > plan.svg",
       "conoscope plan my.toml --shard 1/4"});
  options.positional("file", 1);
  options.with_store();
  options.with_plugins();
  options.with_profile();
  options.flag("cells", "list every cell");
  options.flag("dot", "the work as a Graphviz graph; what the cache has is grey");
  options.texts("only", "KEY=VALUE", "as for run");
  options.text("shard", "i/N",
               "as for run; also what each of the N has to do, and what several of them make", "");
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  const auto file =
      options.has("file") ? find_run_file(options.list("file")[0]) : default_run_file(options);
  const core::Plan plan = load_plan(file, options);

  auto store = open_or_empty(options.store());
  const auto finished = core::finished_cells(plan, store);
  report_changed_plugins(plan, store, finished);
  const auto only = options.list("only");
  const auto shard = options.get<std::string>("shard");
  const auto todo = select_cells(plan, finished, only, shard);

  if (options.has("dot")) {
    print_graph(plan, finished, options.cache());
    return kOk;
  }
  if (options.has("cells")) {
    std::cout << results::to_text(cell_table(plan, finished, todo, store), format);
    return kOk;
  }

  print_overview(plan, finished.size(), todo, store, options.cache());
  for (const auto& line : core::will_not_fit(plan, todo, store, options.cache()))
    std::cout << "will not fit: " << line << '\n';
  if (!shard.empty())
    print_split(plan, split_of(plan, parse_shard(shard).of), select_cells(plan, finished, only, ""),
                store.median_seconds(), format);
  for (const auto& line : plan.skipped) std::cout << "skipped: " << line << '\n';
  return kOk;
}

}  // namespace conoscope::app
