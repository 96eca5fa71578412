// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/registration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "harness/core/border/interpreter.h"
#include "harness/core/border/provenance.h"
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

std::set<std::string> cells_without_lack(const Plan& plan, Lacking lacking) {
  std::set<std::string> out;
  for (const Cell& cell : plan.cells)
    if (lacking.scores_of(cell).empty()) out.insert(cell.key);
  return out;
}

}  // namespace

Lacking::Lacking(const Plan& plan, results::Store& store, Files files)
    : plan_(plan), store_(store), files_(files), tried_(store.tried_cells()) {
  for (const results::MetricKeyRow& row : asked_metrics(plan))
    if (!metrics::is_over_seeds(row.metric))
      asked_[row.metric] = plan.binaries_of(Cell(), {row.metric});
}

bool Lacking::are_same(const std::string& binaries, const std::string& today) {
  if (files_ == Files::kAny || binaries == today) return true;
  const auto [it, fresh] = same_.try_emplace({binaries, today}, false);
  if (fresh) it->second = results::same_files(binaries, today);
  return it->second;
}

std::set<std::string> Lacking::scores_of(const Cell& cell) {
  const auto known = tried_.contains(cell.key) ? store_.known(cell.key) : results::KnownCell();
  const bool is_good = known.good && are_same(known.binaries, cell.binaries);
  if (is_good && *known.good == results::Status::not_applicable) return {};
  std::set<std::string> out;
  for (const auto& [metric, its_plugin] : asked_) {
    const auto it = known.scores.find(metric);
    if (it == known.scores.end() || !are_same(it->second, cell.binaries + its_plugin))
      out.insert(metric);
  }
  // What cannot say which scores it gives fails each time.
  for (const std::size_t node : cell.score_nodes)
    if (const Component* plugin = plan_.nodes[node].component;
        plugin != nullptr && plan_.nodes[node].metrics.empty())
      out.insert(plugin->name);
  // Asked for over seeds alone: its explanation is to be there.
  if (asked_.empty() && !is_good) out.insert("");
  return out;
}

std::set<std::string> good_cells(const Plan& plan, results::Store& store) {
  return cells_without_lack(plan, Lacking(plan, store, Lacking::Files::kAny));
}

std::set<std::string> finished_cells(const Plan& plan, results::Store& store) {
  return cells_without_lack(plan, Lacking(plan, store));
}

std::set<std::string> changed_files(const Plan& plan, results::Store& store) {
  const std::set<std::string> all(plan.metrics.begin(), plan.metrics.end());
  std::set<std::pair<std::string, std::string>> seen;  // what counts, and today's
  const std::set<std::string> tried = store.tried_cells();
  for (const Cell& cell : plan.cells) {
    if (!tried.contains(cell.key)) continue;
    const std::string today = plan.binaries_of(cell, all);
    for (const auto& [metric, binaries] : store.known(cell.key).scores)
      seen.emplace(binaries, today);
  }
  std::set<std::string> out;
  for (const auto& [binaries, today] : seen)
    for (const auto& found : results::different_files(binaries, today))
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
