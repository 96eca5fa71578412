// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/stored_cells.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "metrics/catalogue.h"
#include "results/store/identity.h"
#include "results/store/sqlite.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

/// A component as the store has it.
struct StoredComponent {
  Kind kind = Kind::kDataset;
  std::string id, version, content, name;
};

struct StoredCell {
  std::vector<std::string> components;  ///< keys
  std::int64_t seed = 0;
  std::string control;
};

std::map<std::string, StoredComponent> components_of(results::Store& store) {
  results::Statement rows(
      store.connection(),
      "SELECT key, kind, plugin_id, plugin_version, content, name FROM component");
  std::map<std::string, StoredComponent> out;
  while (rows.step())
    out[rows.text(0)] = {*kind_from(rows.text(1)), rows.text(2), rows.text(3), rows.text(4),
                         rows.text(5)};
  return out;
}

StoredCell cell_of(results::Store& store, const std::string& key) {
  results::Statement& row = store.connection().kept(
      "SELECT dataset, model, explainer, seed, control FROM cell WHERE key = ?");
  row.bind_all(key).step();
  StoredCell out{{row.text(0), row.text(1)}, row.integer(3), row.text(4)};
  if (!row.is_null(2)) out.components.push_back(row.text(2));
  row.reset();
  return out;
}

/// The run's file in each of the profiles that its name may end with: which one it was is not stored.
/// An empty list: it cannot be read, and `why` says why.
std::vector<RunFile> readings(results::Store& store, const std::string& run, const fs::path& file,
                              std::string& why) {
  const results::RunRow row = store.run(run);
  if (row.file_text == results::kMeasuredText) {
    why = "scored by `conoscope measure`, of arrays that the store does not hold";
    return {};
  }
  std::ofstream out_file(file, std::ios::binary);
  out_file << row.file_text;
  out_file.close();
  if (!out_file) throw std::runtime_error(file.string() + ": cannot be written");
  std::vector<std::string> profiles = {""};
  for (std::size_t dash = row.name.find('-'); dash != row.name.npos;
       dash = row.name.find('-', dash + 1))
    profiles.push_back(row.name.substr(dash + 1));
  std::vector<RunFile> out;
  for (const auto& profile : profiles) try {
      Diagnostics diagnostics("its run file");
      RunFile parsed = parse_run_file(file, diagnostics, profile);
      diagnostics.throw_if_any();
      out.push_back(std::move(parsed));
    } catch (const RunFileError& e) {
      if (why.empty()) why = "its run file cannot be read: " + e.errors().front();
    }
  if (!out.empty()) why.clear();
  return out;
}

/// What a plugin's file is called: a package by its folder.
fs::path name_of(const fs::path& plugin) {
  const fs::path file = plugin.has_filename() ? plugin : plugin.parent_path();
  return file.filename() == kPackageMain ? file.parent_path().filename() : file.filename();
}

/// The file that it names may be anybody's: the registry's plugin of the same name stands for it.
ComponentRequest with_registered_plugin(ComponentRequest request, Kind kind,
                                        const Registry& registry) {
  if (!request.file) return request;
  for (const PluginFile& plugin : registry.plugins())
    if (plugin.metadata && plugin.metadata->kind == kind &&
        name_of(plugin.file) == name_of(*request.file))
      request.id = plugin.metadata->id;
  request.file.reset();
  return request;
}

/// Where the end of its path, the longest first, leads to a file or folder in one of these.
std::optional<fs::path> moved_to(const fs::path& gone, const std::vector<fs::path>& folders) {
  for (fs::path end = gone.relative_path(); !end.empty();) {
    for (const fs::path& folder : folders) {
      std::error_code error;
      if (const fs::path here = folder / end; fs::exists(here, error)) return here;
    }
    fs::path shorter;
    for (auto part = std::next(end.begin()); part != end.end(); ++part) shorter /= *part;
    end = shorter;
  }
  return std::nullopt;
}

/// Data lie elsewhere on another machine.
ComponentRequest with_moved_data(ComponentRequest request, Kind kind,
                                 const StoredCellSources& sources) {
  const PluginFile* plugin = sources.registry.find(kind, request.id);
  if (plugin == nullptr) return request;
  for (ParameterRequest& asked : request.params) {
    const auto parameter =
        std::ranges::find(plugin->metadata->parameters, asked.name, &Parameter::name);
    if (parameter == plugin->metadata->parameters.end() || !parameter->is_path()) continue;
    for (Value& value : asked.values) {
      const auto* text = std::get_if<std::string>(&value);
      std::error_code error;
      if (text == nullptr || text->empty()) continue;
      if (fs::path(*text).is_absolute() && fs::exists(*text, error)) continue;
      if (const auto here = moved_to(*text, sources.data_folders)) value = here->string();
    }
  }
  return request;
}

/// What the entries of a run file are here, as far as they have to do with the wanted components.
class FoundComponents {
 public:
  FoundComponents(const RunFile& run_file, const std::map<std::string, StoredComponent>& wanted,
                  const StoredCellSources& sources)
      : sources_(sources) {
    add(run_file.datasets, Kind::kDataset, wanted);
    add(run_file.models, Kind::kModel, wanted);
    add(run_file.explainers, Kind::kExplainer, wanted);
    for (const auto& [key, stored] : wanted) count_ += components_.contains(key);
  }

  /// How many of the wanted ones there are.
  std::size_t count() const { return count_; }

  /// nullptr: it cannot be used, for a reason.
  const Component* usable(const std::string& key) const {
    const auto it = components_.find(key);
    return it == components_.end() || !it->second.usable() ? nullptr : &it->second;
  }

  std::string reason(const std::string& key, const StoredComponent& stored) const {
    const std::string what = std::string(to_string(stored.kind)) + " " + stored.id;
    if (const auto it = components_.find(key); it != components_.end())
      return what + ": " + it->second.plugin.refusal;
    const PluginFile* plugin = sources_.registry.find(stored.kind, stored.id);
    if (plugin == nullptr)
      return what + " " + stored.version +
             ": there is no such plugin here; give the folder of its " +
             (files_.empty() ? "file" : boost::algorithm::join(files_, " or ")) +
             ", --plugin-path FOLDER";
    if (plugin->metadata->version != stored.version)
      return what + ": version " + stored.version + " in the store, " + plugin->metadata->version +
             " here";
    if (const auto it = said_.find({stored.kind, stored.id}); it != said_.end()) return it->second;
    for (const auto& [other, component] : components_)
      if (component.kind == stored.kind && component.id == stored.id && !stored.content.empty())
        return what + ": its data files do not hold what they held";
    return what + ": its run file does not ask for " + stored.name;
  }

 private:
  void add(const std::vector<ComponentRequest>& requests, Kind kind,
           const std::map<std::string, StoredComponent>& wanted) {
    for (const auto& entry : requests) {
      ComponentRequest request =
          with_moved_data(with_registered_plugin(entry, kind, sources_.registry), kind, sources_);
      if (entry.file && request.id.empty()) files_.insert(name_of(*entry.file).string());
      if (std::none_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
            return pair.second.kind == kind && pair.second.id == request.id;
          }))
        continue;  // its data files need not be read
      request.controls.clear();
      request.datasets.clear();
      request.optional = false;
      Diagnostics diagnostics("");
      for (auto& component : resolve(request, kind, sources_.registry, sources_.quarantine,
                                     sources_.data_folders, diagnostics))
        components_.try_emplace(component.key, std::move(component));
      for (const auto& message : diagnostics.messages())
        said_.try_emplace({kind, request.id}, message);
    }
  }

  const StoredCellSources& sources_;
  std::map<std::string, Component> components_;
  std::map<std::pair<Kind, std::string>, std::string> said_;  ///< the first mistake
  std::set<std::string> files_;  ///< names of plugins' files that are not here
  std::size_t count_ = 0;
};

bool gives_score(const Component& plugin, std::string_view metric) {
  return std::ranges::any_of(plugin.plugin.metadata->scores,
                             [&](const auto& score) { return score.name == metric; });
}

/// The run file's plugins that give some of these scores.
std::vector<Component> metric_plugins(const RunFile& run_file, const std::set<std::string>& metrics,
                                      const StoredCellSources& sources) {
  std::vector<Component> out;
  for (const auto& request : run_file.metric_plugins) {
    Diagnostics ignored("");  // the scores are missed, by name
    for (auto& component :
         resolve(with_registered_plugin(request, Kind::kMetric, sources.registry), Kind::kMetric,
                 sources.registry, sources.quarantine, sources.data_folders, ignored)) {
      if (component.usable() && std::ranges::any_of(metrics, [&](const std::string& metric) {
            return gives_score(component, metric);
          }))
        out.push_back(std::move(component));
    }
  }
  return out;
}

/// A score that nothing here gives; empty: there is none.
std::string unknown_metric(const std::set<std::string>& metrics,
                           const std::vector<Component>& plugins) {
  for (const auto& metric : metrics) {
    const bool given = std::ranges::any_of(
        plugins, [&](const Component& plugin) { return gives_score(plugin, metric); });
    if (!given && metrics::catalogue().metric(metric) == nullptr) return metric;
  }
  return "";
}

}  // namespace

StoredCells plan_stored_cells(results::Store& store, const std::string& run,
                              const std::set<std::string>& cells,
                              const std::set<std::string>& metrics,
                              const StoredCellSources& sources, const fs::path& scratch) {
  StoredCells out;
  std::string why;
  const auto files = readings(store, run, scratch / "run.toml", why);

  const auto all = components_of(store);
  std::map<std::string, StoredCell> stored;
  std::map<std::string, StoredComponent> wanted;
  for (const auto& key : cells) {
    stored[key] = cell_of(store, key);
    for (const auto& part : stored[key].components) wanted[part] = all.at(part);
  }
  std::optional<FoundComponents> found;
  for (const RunFile& file : files)
    if (FoundComponents other(file, wanted, sources); !found || other.count() > found->count()) {
      found.emplace(std::move(other));
      out.plan.run_file = file;
    }
  if (found) {
    out.plan.metric_plugins = metric_plugins(out.plan.run_file, metrics, sources);
    if (const auto metric = unknown_metric(metrics, out.plan.metric_plugins); !metric.empty())
      why = "nothing here gives the score " + metric +
            "; give the folder of its plugin, --plugin-path FOLDER";
  }

  std::set<std::string> planned, used, controls;
  std::set<std::int64_t> seeds;
  for (const auto& [key, cell] : stored) {
    std::string reason = why;
    for (const auto& part : cell.components)
      if (reason.empty() && found->usable(part) == nullptr)
        reason = found->reason(part, wanted.at(part));
    if (reason.empty() && find_control(cell.control) == nullptr)
      reason = "there is no control " + cell.control + " here";
    if (!reason.empty()) {
      out.reason[key] = reason;
      continue;
    }
    planned.insert(key);
    used.insert(cell.components.begin(), cell.components.end());
    seeds.insert(cell.seed);
    controls.insert(cell.control);
  }
  if (planned.empty()) return out;

  RunFile& run_file = out.plan.run_file;
  run_file.seeds.assign(seeds.begin(), seeds.end());
  run_file.controls.assign(controls.begin(), controls.end());
  run_file.metrics.clear();
  for (const auto& metric : metrics) run_file.metrics.push_back({metric, {}});
  for (const auto& key : used) {
    const Component& component = *found->usable(key);
    (component.kind == Kind::kDataset ? out.plan.datasets
     : component.kind == Kind::kModel ? out.plan.models
                                      : out.plan.explainers)
        .push_back(component);
  }
  Diagnostics diagnostics("its run file");
  plan_cells(out.plan, planned, diagnostics);
  for (const Cell& cell : out.plan.cells) planned.erase(cell.key);
  for (const auto& key : planned) out.reason[key] = "its parts do not fit together here";
  return out;
}

}  // namespace conoscope::core
