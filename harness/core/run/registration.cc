#include "harness/core/run/registration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "harness/core/border/interpreter.h"
#include "harness/core/border/making.h"
#include "metrics/peer_metric.h"
#include "results/store/binaries.h"

namespace conoscope::core {

std::string now_text() { return results::utc_text(std::chrono::system_clock::now()); }

std::string process_plugins(const Plan& plan) {
  std::set<std::string> lines;
  for (const Component* component : plan.components()) try {
      if (component->usable() && !is_library(component->plugin.file))
        lines.insert(runtime_text(component->plugin));
    } catch (const std::runtime_error&) {  // its cells say why they failed
    }
  std::string out;
  for (const auto& line : lines) out += "\nplugin: " + line;
  return out;
}

results::EnvironmentRow environment_row(bool confine, const std::string& process_plugins) {
  return results::environment_row(environment_text(confine, process_plugins));
}

namespace {

std::vector<results::MetricKeyRow> asked_metrics(const Plan& plan) {
  std::vector<results::MetricKeyRow> metric_rows;
  const auto bound = [](double value) {
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
  };
  for (const auto& name : plan.metrics)
    if (const auto* info = metrics::catalogue().metric(name))
      metric_rows.push_back({name, std::string(info->group),
                             std::string(metrics::to_string(info->direction)), bound(info->low),
                             bound(info->high), std::string(info->unit), std::string(info->source),
                             info->question});
  for (const Component& plugin : plan.metric_plugins)
    if (plugin.plugin.metadata)
      for (const ScoreSpec& score : plugin.plugin.metadata->scores)
        metric_rows.push_back({score.name, plugin.id, score.direction, score.low, score.high,
                               score.unit, plugin.plugin.metadata->citation, score.question});
  return metric_rows;
}

/// Of the plan's good cells, by which plugin files what counts of them was made.
std::map<std::string, std::set<std::string>> binaries_of_good_cells(const Plan& plan,
                                                                    results::Store& store) {
  std::vector<std::string> cells, of_one_cell;
  for (const Cell& cell : plan.cells) cells.push_back(cell.key);
  for (const results::MetricKeyRow& row : asked_metrics(plan))
    if (!metrics::is_over_seeds(row.metric)) of_one_cell.push_back(row.metric);
  return store.good_cells(cells, of_one_cell);
}

}  // namespace

std::set<std::string> good_cells(const Plan& plan, results::Store& store) {
  std::set<std::string> out;
  for (const auto& [cell, binaries] : binaries_of_good_cells(plan, store)) out.insert(cell);
  return out;
}

std::set<std::string> finished_cells(const Plan& plan, results::Store& store) {
  const auto good = binaries_of_good_cells(plan, store);
  std::set<std::string> out;
  for (const Cell& cell : plan.cells) {
    const auto it = good.find(cell.key);
    if (it != good.end() && std::ranges::all_of(it->second, [&cell](const std::string& binaries) {
          return results::same_files(binaries, cell.binaries);
        }))
      out.insert(cell.key);
  }
  return out;
}

std::set<std::string> changed_files(const Plan& plan, results::Store& store) {
  const auto good = binaries_of_good_cells(plan, store);
  std::set<std::string> out;
  for (const Cell& cell : plan.cells)
    if (const auto it = good.find(cell.key); it != good.end())
      for (const std::string& binaries : it->second)
        for (const auto& found : results::different_files(binaries, cell.binaries))
          out.insert(found.what + ": " + found.stored + ", now " + found.now);
  return out;
}

void register_run(const Plan& plan, results::Store& store) {
  std::vector<results::ComponentRow> components;
  std::vector<results::PluginRow> plugins;
  std::set<std::string> known;  // what is listed twice has its first name
  const auto add = [&](const std::vector<Component>& list, bool is_part_of_cells) {
    for (const Component& c : list) {
      const std::string kind = to_string(c.kind);
      if (is_part_of_cells && known.insert(c.key).second)
        components.push_back({c.key, kind, c.id, c.version, c.params, c.content, c.name});
      plugins.push_back({kind, c.id, c.version, c.plugin.sha256, c.plugin.file.string(),
                         c.plugin.metadata ? c.plugin.metadata->licence : "",
                         c.plugin.metadata ? c.plugin.metadata->citation : ""});
    }
  };
  add(plan.datasets, true);
  add(plan.models, true);
  add(plan.explainers, true);
  add(plan.metric_plugins, false);

  std::vector<results::CellRow> cells;
  for (const Cell& cell : plan.cells)
    cells.push_back({cell.key, cell.dataset->key, cell.model->key,
                     cell.explainer ? cell.explainer->key : "", cell.seed, cell.control});

  store.add_plugins(plugins);
  store.register_run({plan.run_key, plan.run_file.name, plan.run_file.text, now_text()}, components,
                     cells, asked_metrics(plan));
}

}  // namespace conoscope::core
