// SPDX-License-Identifier: Apache-2.0
#include "harness/app/selection.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <numeric>

#include "harness/app/command.h"
#include "harness/core/names.h"
#include "harness/core/run/registration.h"

namespace conoscope::app {

namespace {

bool is_component(const core::Component* component, const std::string& value) {
  return component == nullptr ? value == "none"
                              : component->name == value || component->id == value;
}

bool matches(const core::Cell& cell, const std::string& key, const std::string& value) {
  if (key == "dataset") return is_component(cell.dataset, value);
  if (key == "model") return is_component(cell.model, value);
  if (key == "explainer") return is_component(cell.explainer, value);
  if (key == "seed") return std::to_string(cell.seed) == value;
  if (key == "control") return cell.control == value;
  return cell.key.compare(0, value.size(), value) == 0;
}

std::size_t number(std::string_view text, const std::string& shard) {
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out == 0)
    throw UsageError("--shard " + shard + ": expected i/N with 1 <= i <= N, as 2/8");
  return out;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t slash = text.find('/');
  if (slash == text.npos) number("", text);
  const Shard out{number(std::string_view(text).substr(0, slash), text),
                  number(std::string_view(text).substr(slash + 1), text)};
  if (out.i > out.of) number("", text);
  return out;
}

core::Split split_of(const core::Plan& plan, std::size_t shards) {
  std::vector<std::size_t> all(plan.cells.size(), 0);
  if (shards == 1) return {1, all};
  std::iota(all.begin(), all.end(), std::size_t{0});
  return core::split_cells(plan, all, shards, core::cell_weights(plan, {}));
}

std::vector<std::size_t> shared_models(const core::Plan& plan, const core::Split& split,
                                       const Shard& part) {
  std::vector<std::size_t> models, out;
  for (const auto& doubled : core::doubled_nodes(plan, split)) models.push_back(doubled.node);
  if (split.shards == 1) {
    models.resize(plan.nodes.size());
    std::iota(models.begin(), models.end(), std::size_t{0});
  }
  std::erase_if(models,
                [&](std::size_t node) { return plan.nodes[node].stage != core::Stage::kModel; });
  for (std::size_t i = part.i - 1; i < models.size(); i += part.of) out.push_back(models[i]);
  return out;
}

std::vector<std::size_t> select_cells(const core::Plan& plan, const std::set<std::string>& finished,
                                      const std::vector<std::string>& only,
                                      const std::string& shard, const core::Split* split) {
  const std::vector<std::string> keys = {"dataset", "model",   "explainer",
                                         "seed",    "control", "cell"};
  std::map<std::string, std::vector<std::string>> filters;
  for (const auto& filter : only) {
    const std::size_t equals = filter.find('=');
    const std::string key = filter.substr(0, equals);
    if (equals == filter.npos || !core::contains(keys, key))
      throw UsageError("--only " + filter + ": expected KEY=VALUE" + core::did_you_mean(key, keys));
    const std::string value = filter.substr(equals + 1);
    if (value.empty()) throw UsageError("--only " + filter + ": expected KEY=VALUE");
    bool fits = false;
    for (const auto& cell : plan.cells) fits = fits || matches(cell, key, value);
    if (!fits) throw UsageError("--only " + filter + ": no cell of this run fits");
    filters[key].push_back(value);
  }
  const Shard mine = parse_shard(shard);
  if (split != nullptr && split->shards != mine.of)
    throw UsageError("--shard " + shard + ": the run was split into " +
                     std::to_string(split->shards) + " shards");
  const core::Split parts = split != nullptr ? *split : split_of(plan, mine.of);

  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const core::Cell& cell = plan.cells[i];
    if (finished.count(cell.key) != 0) continue;
    const bool wanted = std::ranges::all_of(filters, [&](const auto& filter) {
      return std::ranges::any_of(filter.second, [&](const std::string& value) {
        return matches(cell, filter.first, value);
      });
    });
    if (!wanted) continue;
    if (parts.shard_of[i] != mine.i - 1) continue;
    out.push_back(i);
  }
  return out;
}

void report_changed_plugins(const core::Plan& plan, results::Store& store,
                            const std::set<std::string>& finished) {
  std::size_t changed = 0;
  for (const std::string& cell : core::good_cells(plan, store))
    changed += finished.count(cell) == 0;
  if (changed == 0) return;
  std::cerr << changed
            << (changed == 1 ? " finished cell is run again: what made it has changed"
                             : " finished cells are run again: what made them has changed")
            << " (raise a plugin's version when its results change)\n";
  print_changed_files(plan, store);
}

void print_changed_files(const core::Plan& plan, results::Store& store) {
  constexpr std::size_t kMost = 5;
  const auto what = core::changed_files(plan, store);
  std::size_t said = 0;
  for (const auto& one : what)
    if (said++ < kMost) std::cerr << "  " << one << '\n';
  if (said > kMost) std::cerr << "  and " << said - kMost << " more\n";
}

}  // namespace conoscope::app
