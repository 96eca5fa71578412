// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/plan/component.h"
#include "harness/core/plan/controls.h"
#include "harness/core/processes/job.h"
#include "metrics/catalogue.h"

namespace conoscope::core {

/// What a score over seeds takes of one peer: the nodes of its artifacts, and its control's seed.
struct PeerNodes {
  std::size_t model = 0, explanation = 0;
  std::uint64_t control_seed = 0;
  std::int64_t seed = 0;
};

/// One piece of work: an artifact to make, or scores to compute from artifacts. What several cells
/// need is one node, computed once.
struct Node {
  Stage stage = Stage::kDataset;
  /// Of the artifact: its identity and what makes it here (border/provenance.h), so that machines and
  /// builds may share a cache; score nodes: cell key and metric.
  std::string key;
  std::string identity;                  ///< of the artifact: artifact_key()
  std::string label;                     ///< for people
  std::vector<std::size_t> needs;        ///< earlier nodes
  const Component* component = nullptr;  ///< the plugin that runs; nullptr: built-in metrics
  std::uint64_t seed = 0;                ///< for that plugin, derived
  /// Explain nodes: the model that answers while the explainer is fitted, and to which calls, of
  /// forward and head.
  const Component* called = nullptr;
  std::vector<std::string> calls;
  const Component* redrawn = nullptr;     ///< the model, if its head is to be drawn anew
  std::string control = "none";           ///< explain nodes of a Control that explains_anew()
  std::uint64_t control_seed = 0;         ///< draws what its explainers are given
  std::size_t cell = 0;                   ///< score nodes only
  std::vector<std::string> metrics = {};  ///< score nodes: the scores that it gives
  std::vector<PeerNodes> peers = {};      ///< score nodes that compare explanations: with which
};

/// What a plugin's randomness derives from: the run file's seed, the stage, and the lineages of all
/// that the work is made of (Component::lineage). A dataset's lineage is its own key.
std::uint64_t work_seed(const Component& component, Stage stage, std::int64_t seed,
                        const std::string& lineage);

/// Draws what explainers are given under a control that explains_anew(). One head, and the same moved
/// samples, for all explainers of a model, so that they are compared under the same ones; noise moves
/// the samples that the poison moves.
std::uint64_t explained_seed(const Control& control, std::int64_t seed,
                             const std::string& dataset_key, const std::string& model_key);
/// The same as one more input of artifact_key().
std::string explained_input(const Control& control, std::uint64_t explained_seed);

/// What an artifact is: equal keys, equal content, where the same makes it.
///
/// inputs  the keys of the artifacts that it is made from
/// seed    none: the plugin draws no random numbers
std::string artifact_key(Stage stage, const std::string& component,
                         const std::string& plugin_sha256, const std::vector<std::string>& inputs,
                         std::optional<std::int64_t> seed);
/// Its name in the cache. making: see making_of()
inline std::string cache_key(const std::string& identity, const std::string& making) {
  return identity + "-" + making;
}

/// A score that is asked for and that a cell cannot have.
struct NotApplicable {
  std::string score, why;
};

/// dataset x model x explainer x seed x control.
struct Cell {
  std::string key;
  const Component* dataset = nullptr;
  const Component* model = nullptr;
  const Component* explainer = nullptr;  ///< nullptr: the model itself is judged
  std::int64_t seed = 0;
  std::string control = "none";
  std::uint64_t control_seed = 0;
  /// Those over seeds (metrics/peer_metric.h): scored once its peers are there; see over_seeds.h. Those
  /// that compare with the clean explanation are among the score nodes of its own plan.
  std::vector<std::string> peer_metrics = {};
  std::vector<std::string> peers = {};  ///< keys of the cells that it is compared with
  std::vector<NotApplicable> not_applicable;
  std::vector<std::size_t> score_nodes;
  std::string binaries;  ///< the plugin files that its explanation is made by

  std::string label() const;
};

/// The whole matrix of a run file, with what does not fit left out and said.
struct Plan {
  RunFile run_file;
  std::vector<Component> datasets, models, explainers, metric_plugins;
  std::vector<std::string> metrics;  ///< every score asked for, built-in ones first
  std::vector<Cell> cells;
  std::vector<Node> nodes;  ///< each after all that it needs
  std::vector<std::string> skipped;
  std::string run_key;

  /// Datasets, models, explainers and metric plugins, in this order.
  std::vector<const Component*> components() const;

  /// The plugin files that these scores of a cell are made by, as AttemptRow::binaries: those of the
  /// cell, and of the metric plugins that give one of them, also where it does not apply.
  std::string binaries_of(const Cell& cell, const std::set<std::string>& scores) const;

  Plan() = default;
  Plan(Plan&&) = default;
  Plan& operator=(Plan&&) = default;
};

/// The plugins that an artifact comes from, with those of what it is made from, as
/// AttemptRow::binaries has them.
std::string plugins_of(const Plan& plan, const Node& artifact);

/// throws  RunFileError: everything that is wrong with the file, at once
Plan make_plan(const RunFile& run_file, const Registry& registry, const Quarantine& quarantine,
               Diagnostics& diagnostics);

/// The same where the components are there already: adds the cells that have one of these keys.
///
/// plan    with its run_file (seeds, controls, metrics) and components; without cells
/// throws  RunFileError: as make_plan()
void plan_cells(Plan& plan, const std::set<std::string>& wanted, Diagnostics& diagnostics);

}  // namespace conoscope::core
