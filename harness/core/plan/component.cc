// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/component.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "harness/core/artifacts/content_hash.h"
#include "harness/core/artifacts/sha256.h"
#include "harness/core/artifacts/view_arrays.h"
#include "harness/core/names.h"
#include "harness/core/path_fault.h"
#include "results/store/identity.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

constexpr int kMostParameterSets = 100'000;

/// The plugin that a request means; on a mistake a diagnostic and nullptr.
std::optional<PluginFile> find_plugin(const ComponentRequest& request, Kind kind,
                                      const Registry& registry, const Quarantine& quarantine,
                                      Diagnostics& diagnostics) {
  if (request.file) {
    if (const auto fault = fault_of_path(*request.file); !fault.empty()) {
      diagnostics.add(request.place, request.file->string() + ": " + fault);
      return std::nullopt;
    }
    PluginFile plugin = examine_plugin(*request.file, quarantine);
    if (plugin.metadata && plugin.metadata->kind != kind) {
      diagnostics.add(request.place, request.file->string() + ": its kind is " +
                                         to_string(plugin.metadata->kind) + ", not " +
                                         to_string(kind));
      return std::nullopt;
    }
    if (plugin.metadata && !request.id.empty() && plugin.metadata->id != request.id) {
      diagnostics.add(request.place, request.file->string() + ": its id is " + plugin.metadata->id +
                                         ", not " + request.id);
      return std::nullopt;
    }
    return plugin;
  }
  if (request.id.empty()) return std::nullopt;
  if (const PluginFile* plugin = registry.find(kind, request.id)) return *plugin;
  diagnostics.add(
      request.place,
      "no " + std::string(to_string(kind)) + " " + request.id +
          did_you_mean(request.id, registry.ids(kind)) +
          "; `conoscope plugin list` shows what was found where, and what was left out");
  return std::nullopt;
}

std::string fault_of_data(const Parameter& parameter, const fs::path& data) {
  return parameter.type == ParameterType::folder ? fault_of_folder(data) : fault_of_file(data);
}

/// A relative file or folder lies in the first of the folders that has it. Where none has it, the
/// first place is named.
fs::path find_data(const Parameter& parameter, const fs::path& file,
                   const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders)
    if (const fs::path full = (folder / file).lexically_normal();
        fault_of_data(parameter, full).empty())
      return full;
  return (folders.front() / file).lexically_normal();
}

std::string shown_name(const ComponentRequest& request) {
  return request.name.empty() ? request.id : request.name;
}

/// The run file's name for a component; {k} stands for the value of the parameter k.
/// throws  std::runtime_error: there is no such parameter
std::string filled_name(const std::string& name, const Metadata& metadata,
                        const std::vector<Value>& values) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = name[at] == '{' ? name.find('}', at) : name.npos;
    if (end == name.npos) {
      out += name[at++];
      continue;
    }
    const std::string word = name.substr(at + 1, end - at - 1);
    std::vector<std::string> known;
    std::size_t i = 0;
    for (const auto& parameter : metadata.parameters) known.push_back(parameter.name);
    while (i < known.size() && known[i] != word) ++i;
    if (i == known.size())
      throw std::runtime_error("name = \"" + name + "\": no parameter " + word +
                               did_you_mean(word, known));
    out += metadata.parameters[i].is_path()
               ? fs::path(std::get<std::string>(values[i])).filename().string()
               : metadata.parameters[i].plain(values[i]);
    at = end + 1;
  }
  return out;
}

/// "annotations": whatever the file holds; which of them is known once it is loaded.
void add_offers(Component& component, const std::string& view) {
  if (view == "annotations")
    std::ranges::copy(annotation_views(), std::back_inserter(component.offers));
  else if (!view.empty())
    component.offers.push_back(view);
}

/// The values to sweep over: what is in brackets is one value where the parameter takes a list.
std::vector<Value> values_for(const Parameter& parameter, const ParameterRequest& asked) {
  if (!parameter.is_list() || !asked.in_brackets) return asked.values;
  const auto list = list_of(asked.values);  // none: a list of lists, or of what check() refuses
  return list ? std::vector<Value>{*list} : asked.values;
}

/// The first version of the same major number: 0.3.1 -> 0.0.0, 2.1.0 -> 2.0.0.
std::string major_version(const std::string& version) {
  return version.substr(0, version.find('.')) + ".0.0";
}

void fill_identity(Component& component, const Metadata& metadata, const std::vector<bool>& given,
                   const ComponentRequest& request) {
  std::map<std::string, std::string> canonical;
  std::string shown, contents;
  for (std::size_t i = 0; i < metadata.parameters.size(); ++i) {
    const Parameter& parameter = metadata.parameters[i];
    const Value& value = component.values[i];
    if (parameter.is_path()) {
      const auto& file = std::get<std::string>(value);
      std::string hash;
      if (!file.empty()) {
        component.inputs.push_back(look_at(file));
        hash = component.inputs.back().hash;
        contents += hash;
      }
      if (!parameter.added || !hash.empty())
        canonical[parameter.name] = hash.empty() ? "none" : "sha256:" + hash;
      if (given[i])
        shown +=
            (shown.empty() ? "" : ",") + parameter.name + "=" + fs::path(file).filename().string();
      if (given[i] && !file.empty()) add_offers(component, parameter.offers);
    } else {
      if (!parameter.added || *parameter.standard != value)
        canonical[parameter.name] = parameter.canonical(value);
      if (given[i] && (!parameter.standard || *parameter.standard != value))
        shown += (shown.empty() ? "" : ",") + parameter.name + "=" + parameter.plain(value);
      if (given[i]) add_offers(component, parameter.offers);
      if (!parameter.choice_offers.empty()) {
        const auto choice = std::find(parameter.choices.begin(), parameter.choices.end(),
                                      std::get<std::string>(value));
        add_offers(
            component,
            parameter.choice_offers[static_cast<std::size_t>(choice - parameter.choices.begin())]);
      }
    }
  }
  const auto text_of = [](const std::map<std::string, std::string>& values) {
    std::string out;
    for (const auto& [name, value] : values) out += (out.empty() ? "" : ";") + name + "=" + value;
    return out;
  };
  component.params = text_of(canonical);
  if (!contents.empty()) component.content = make_key(contents);
  const auto key_of = [&](const std::string& version, const std::string& params) {
    return results::component_key(
        {"", to_string(component.kind), component.id, version, params, "", ""});
  };
  component.key = key_of(component.version, component.params);
  for (const Parameter& parameter : metadata.parameters)
    for (std::size_t i = 0; i < metadata.parameters.size(); ++i)
      if (metadata.parameters[i].name == parameter.readout_where &&
          component.values[i] != *metadata.parameters[i].standard)
        canonical.erase(parameter.name);
  component.lineage = key_of(
      component.kind == Kind::kExplainer ? major_version(component.version) : component.version,
      text_of(canonical));
  component.name = !request.name.empty() ? filled_name(request.name, metadata, component.values)
                   : shown.empty()       ? component.id
                                         : component.id + "(" + shown + ")";
}

std::string required(const Parameter& parameter) {
  return "parameter " + parameter.name + " is required" +
         (parameter.help.empty() ? "" : " (" + parameter.help + ")");
}

/// Every set of values that an entry of a run file asks for, as a component.
class Sweep {
 public:
  Sweep(const ComponentRequest& request, Component base, const std::vector<fs::path>& folders,
        Diagnostics& diagnostics)
      : request_(request),
        base_(std::move(base)),
        metadata_(*base_.plugin.metadata),
        folders_(folders),
        diagnostics_(diagnostics),
        choices_(metadata_.parameters.size()),
        given_(metadata_.parameters.size(), false) {
    for (const auto& parameter : metadata_.parameters) known_.push_back(parameter.name);
  }

  /// Empty: something is wrong, and was said; or data of an optional component are not there.
  std::vector<Component> components() {
    for (const auto& asked : request_.params)
      if (!take(asked)) return {};
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (given_[i]) continue;
      if (metadata_.parameters[i].standard)
        choices_[i] = {*metadata_.parameters[i].standard};
      else
        complain(request_.place, required(metadata_.parameters[i]));
    }
    if (!good_) return {};
    double sets = 1;
    for (const auto& values : choices_) sets *= static_cast<double>(values.size());
    if (sets > kMostParameterSets) {
      complain(request_.place, "a sweep over more than " + std::to_string(kMostParameterSets) +
                                   " parameter sets; sweep over less");
      return {};
    }
    auto out = all_sets();
    return named_apart(out) ? out : std::vector<Component>();
  }

 private:
  void complain(Place place, const std::string& message) {
    diagnostics_.add(place, metadata_.id + ": " + message);
    good_ = false;
  }

  /// False: the component is optional, and this file or folder is not there.
  bool take(const ParameterRequest& asked) {
    const auto it = std::find(known_.begin(), known_.end(), asked.name);
    if (it == known_.end()) {
      complain(asked.place, known_.empty()
                                ? "takes no parameters, so no " + asked.name
                                : "no parameter " + asked.name + did_you_mean(asked.name, known_));
      return true;
    }
    const auto i = static_cast<std::size_t>(it - known_.begin());
    const Parameter& parameter = metadata_.parameters[i];
    const auto values = values_for(parameter, asked);
    if (values.empty()) {
      if (asked.in_brackets) complain(asked.place, "parameter " + asked.name + ": an empty list");
      good_ = false;  // no value: already complained of
    }
    if (parameter.is_path() && !parameter.standard &&
        std::find(values.begin(), values.end(), Value(std::string())) != values.end())
      complain(asked.place, required(parameter));
    for (const Value& value : values) try {
        Value checked = parameter.check(value);
        if (parameter.is_path() && !std::get<std::string>(checked).empty()) {
          const fs::path file = std::get<std::string>(checked);
          const fs::path full = find_data(parameter, file, folders_);
          if (const auto fault = fault_of_data(parameter, full); !fault.empty()) {
            const std::string text = asked.name + " = " + full.string() + ": " + fault;
            if (request_.optional) {
              diagnostics_.note(to_string(base_.kind) + (" " + shown_name(request_)) +
                                " (optional): " + text);
              return false;
            }
            complain(asked.place, text);
          }
          checked = full.string();
        }
        if (std::ranges::find(choices_[i], checked) != choices_[i].end())
          complain(asked.place, asked.name + ": " + to_text(checked) + " is listed twice");
        choices_[i].push_back(std::move(checked));
      } catch (const std::invalid_argument& e) {
        complain(asked.place, e.what());
      }
    given_[i] = true;
    order_.push_back(i);
    return true;
  }

  std::vector<Component> all_sets() {
    std::vector<Component> out;
    std::vector<std::size_t> at(choices_.size(), 0);
    while (true) {
      Component component = base_;
      for (std::size_t i = 0; i < choices_.size(); ++i)
        component.values.push_back(choices_[i][at[i]]);
      try {
        fill_identity(component, metadata_, given_, request_);
      } catch (const std::runtime_error& e) {
        complain(request_.place, e.what());
        return {};
      }
      out.push_back(std::move(component));
      std::size_t turn = order_.size();  // the last parameter varies fastest
      while (turn > 0 && ++at[order_[turn - 1]] == choices_[order_[turn - 1]].size())
        at[order_[--turn]] = 0;
      if (turn == 0) return out;
    }
  }

  /// Several components need several names.
  bool named_apart(const std::vector<Component>& components) {
    std::set<std::string> names;
    for (const Component& component : components) names.insert(component.name);
    if (request_.name.empty() || names.size() == components.size()) return true;
    std::string apart;
    for (const std::size_t parameter : order_)
      if (choices_[parameter].size() > 1)
        apart += " " + known_[parameter] + "={" + known_[parameter] + "}";
    complain(request_.place, "a sweep over " + std::to_string(components.size()) +
                                 " parameter sets cannot have one name; name = \"" + request_.name +
                                 apart + "\" has one for each");
    return false;
  }

  const ComponentRequest& request_;
  const Component base_;
  const Metadata& metadata_;
  const std::vector<fs::path>& folders_;
  Diagnostics& diagnostics_;
  std::vector<std::string> known_;           ///< parameters, by name
  std::vector<std::vector<Value>> choices_;  ///< of each
  std::vector<bool> given_;
  std::vector<std::size_t> order_;  ///< of the sweep: as in the run file
  bool good_ = true;
};

}  // namespace

std::vector<Component> resolve(const ComponentRequest& request, Kind kind, const Registry& registry,
                               const Quarantine& quarantine, const std::vector<fs::path>& folders,
                               Diagnostics& diagnostics) {
  const auto plugin = find_plugin(request, kind, registry, quarantine, diagnostics);
  if (!plugin) return {};

  Component base;
  base.kind = kind;
  base.plugin = *plugin;
  base.controls = request.controls;
  for (const auto& dataset : request.datasets) base.datasets.push_back(dataset.name);
  if (!plugin->metadata) {
    // Nothing is known of it, so its parameters cannot be checked; its cells will fail, by name.
    base.id = plugin->file.stem().string();
    base.version = "unknown";
    base.key = base.lineage = make_key(to_string(kind), base.id, plugin->sha256);
    base.name = request.name.empty() ? base.id : request.name;
    return {base};
  }

  const Metadata& metadata = *plugin->metadata;
  base.id = metadata.id;
  base.version = metadata.version;
  base.inputs = content_of(*plugin);
  base.offers = metadata.offers;
  return Sweep(request, std::move(base), folders, diagnostics).components();
}

}  // namespace conoscope::core
