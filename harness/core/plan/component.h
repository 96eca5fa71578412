// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/core/border/registry.h"
#include "harness/core/input_file.h"
#include "harness/core/names.h"
#include "harness/core/plan/run_file.h"

namespace conoscope::core {

/// A plugin with one set of parameters: what a cell is made of.
struct Component {
  Kind kind = Kind::kDataset;
  PluginFile plugin;          ///< a refused one too: its cells fail with the refusal
  std::string id, version;    ///< of the metadata; for an unreadable file its stem and "unknown"
  std::vector<Value> values;  ///< in the order of the metadata's parameters, defaults filled in
  std::string params;         ///< canonical text: name=value;... sorted by name, files by content
  std::vector<InputFile> inputs;  ///< the plugin and the files among the parameters
  std::string content;            ///< hash over the files among the parameters; empty: none
  std::string key;                ///< identity: kind, id, version, params
  /// What randomness derives from: the key; of an explainer with its major version alone, so that
  /// two versions that are compared draw the same; of a model without its readouts, so that all of
  /// them are of one trained model.
  std::string lineage;
  std::string name;    ///< for people: kmeans(k=3), parameters at their defaults left out
  std::string binary;  ///< by which files it is computed here, as AttemptRow::binaries has it
  std::vector<std::string> offers;
  std::vector<std::string> controls;  ///< explainers
  std::vector<std::string> datasets;  ///< models, explainers: names or ids; empty: all

  /// Is this dataset one of those that the run file lets it meet?
  bool meets(const Component& dataset) const {
    return datasets.empty() || contains(datasets, dataset.name) || contains(datasets, dataset.id);
  }
  bool usable() const { return plugin.refusal.empty(); }
  bool seeded() const { return !plugin.metadata || plugin.metadata->seeded; }
  std::vector<std::string> needs() const {
    return plugin.metadata ? plugin.metadata->needs : std::vector<std::string>{};
  }
};

/// The component(s) that an entry of a run file stands for: one, or one for each point of its
/// sweep. Unknown plugins and parameters, wrong types and values, and missing files go to
/// `diagnostics`. A relative file is sought in the folders (one at least), in their order. Where a
/// file of an optional entry is missing, there is no component, and a note says so.
std::vector<Component> resolve(const ComponentRequest& request, Kind kind, const Registry& registry,
                               const Quarantine& quarantine,
                               const std::vector<std::filesystem::path>& folders,
                               Diagnostics& diagnostics);

}  // namespace conoscope::core
