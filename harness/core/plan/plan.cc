// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/plan.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <map>
#include <set>

#include "conoscope/sdk/random.h"
#include "harness/core/artifacts/sha256.h"
#include "harness/core/border/needs.h"
#include "harness/core/border/provenance.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"
#include "metrics/peer_metric.h"
#include "metrics/summaries/summary.h"
#include "results/store/identity.h"

namespace conoscope::core {

namespace {

/// Head, concept and latent views are the model's to offer, even where a dataset brings the arrays.
bool is_model_view(std::string_view view) {
  return view == "head_view" || view == "train_head_view" || view == "concept_view" ||
         view == "train_concept_view" || view == "latent_view";
}

/// What one subject has: the model's views, the dataset's annotations, an explanation or not.
std::vector<std::string> views_of(const Component& dataset, const Component& model,
                                  bool explanation) {
  std::vector<std::string> out = model.offers;
  // Every model is fitted and applied on both splits.
  if (contains(out, "head_view")) out.emplace_back("train_head_view");
  if (contains(out, "concept_view")) out.emplace_back("train_concept_view");
  for (const auto& view : dataset.offers)
    if (!is_model_view(view)) out.push_back(view);
  // Codes stand for concepts that nobody has named.
  if (contains(out, "latent_view") && !contains(out, "concept_view"))
    out.emplace_back("concept_view");
  if (!explanation) return out;
  out.emplace_back("explanation");
  for (const char* view : {"concept_view", "latent_view"})
    if (!contains(out, view)) out.emplace_back(view);
  return out;
}

/// Views by their names, and what no plugin offers in words.
std::string missing_text(std::vector<std::string> lacking) {
  for (auto& view : lacking)
    if (view == metrics::kOtherSeeds || view == metrics::kCleanExplanation)
      view = metrics::need_text(view);
  return "missing " + boost::algorithm::join(lacking, ", ");
}

/// What the explainer may call of the model: what it asks for, as one of several alternatives too
/// (a dataset may turn out not to hold the others), and the model offers.
std::vector<std::string> calls_of(const Component& explainer, const Component& model) {
  std::vector<std::string> out;
  for (const char* call : {"forward", "head"})
    if (contains(model.offers, call) && asks_for(explainer.needs(), call)) out.emplace_back(call);
  return out;
}

/// Of a metric with its parameters and data: no key of a cell or artifact has them.
std::string binary_of(const Component& component) {
  const bool told_by_key = component.kind != Kind::kMetric || component.params.empty();
  return component.id + " " + component.version + " " + component.plugin.sha256.substr(0, 16) +
         (told_by_key ? "" : " parameters=" + component.key.substr(0, 16)) +
         (component.plugin.metadata ? parts_text(component.plugin) : "");
}

/// What a metric plugin gives; nothing where its metadata cannot be read.
std::vector<std::string> scores_of(const Component& plugin) {
  std::vector<std::string> out;
  if (plugin.plugin.metadata)
    for (const auto& score : plugin.plugin.metadata->scores) out.push_back(score.name);
  return out;
}

/// What is asked for of a subject: built-in metrics, by what they compare, and plugins.
struct Asked {
  std::vector<std::string> metrics, over_seeds, with_clean;
  std::vector<const Component*> plugins;
  std::vector<NotApplicable> not_applicable;
};

/// They are held in memory, each with its keys.
constexpr std::size_t kMostCells = 1'000'000;

class Planner {
 public:
  Planner(Plan& plan, Diagnostics& diagnostics, const std::set<std::string>* wanted)
      : plan_(plan),
        diagnostics_(diagnostics),
        wanted_(wanted),
        here_(deciding_lines(environment_text(false))) {}

  void run() {
    resolve_metrics();
    for (auto* list : {&plan_.datasets, &plan_.models, &plan_.explainers, &plan_.metric_plugins})
      for (Component& component : *list) component.binary = binary_of(component);
    const double subjects = static_cast<double>(plan_.datasets.size()) *
                            static_cast<double>(plan_.models.size()) *
                            static_cast<double>(plan_.explainers.size() + 1);
    if (subjects > static_cast<double>(kMostCells)) return too_many();
    for (const Component& dataset : plan_.datasets)
      for (const Component& model : plan_.models)
        if (model.meets(dataset)) pair(dataset, model);
    plan_.run_key = run_key();
  }

 private:
  void resolve_metrics() {
    const auto& catalogue = metrics::catalogue();
    std::vector<std::string> known;
    for (const auto& group : catalogue.groups()) known.emplace_back(group);
    for (const auto& metric : catalogue.metrics()) known.emplace_back(metric.name);
    // A plugin that the run file lists is applied; the list may name it, for a run of its own.
    std::set<std::string> of_plugins;
    for (const auto& plugin : plan_.metric_plugins) {
      of_plugins.insert(plugin.id);
      for (const auto& score : scores_of(plugin)) of_plugins.insert(score);
    }
    known.insert(known.end(), of_plugins.begin(), of_plugins.end());
    // Without a list, every metric there is: the host applies what fits.
    if (plan_.run_file.metrics.empty())
      for (const auto& metric : catalogue.metrics())
        if (!metric.on_request) plan_.metrics.emplace_back(metric.name);
    for (const auto& asked : plan_.run_file.metrics) {
      const auto selected = catalogue.select(asked.name);
      if (selected.empty() && of_plugins.count(asked.name) == 0) {
        const std::string settings = catalogue.settings_text(asked.name);
        diagnostics_.add(asked.place,
                         "no metric " + asked.name +
                             (settings.empty() ? did_you_mean(asked.name, known, "conoscope metric")
                                               : ": " + settings));
      }
      for (const auto* metric : selected)
        if (!contains(plan_.metrics, metric->name)) plan_.metrics.emplace_back(metric->name);
    }
    if (plan_.run_file.summaries)
      for (const auto& summary : metrics::summaries())
        if ((summary.of_metric.empty() ||
             contains(plan_.metrics, std::string(summary.of_metric))) &&
            !contains(plan_.metrics, summary.name))
          plan_.metrics.emplace_back(summary.name);
    built_in_ = plan_.metrics;
    for (const auto& plugin : plan_.metric_plugins)
      for (const auto& score : scores_of(plugin))
        if (contains(plan_.metrics, score))
          diagnostics_.add({1, 1}, "metric " + score + " of " + plugin.plugin.file.string() +
                                       " is already there");
        else
          plan_.metrics.push_back(score);
  }

  void skip(const std::string& what, const std::vector<std::string>& lacking) {
    const std::string line = what + ": " + missing_text(lacking);
    if (said_.insert(line).second) plan_.skipped.push_back(line);
  }

  void pair(const Component& dataset, const Component& model) {
    if (dataset.usable() && model.usable())
      if (const auto lacking = missing(model.needs(), dataset.offers); !lacking.empty())
        return skip(dataset.name + " x " + model.name, lacking);
    cells_of(dataset, model, nullptr);
    for (const Component& explainer : plan_.explainers) {
      if (!explainer.meets(dataset)) continue;
      if (explainer.usable() && model.usable() && dataset.usable())
        if (const auto lacking = missing(explainer.needs(), views_of(dataset, model, false));
            !lacking.empty()) {
          skip(dataset.name + " x " + model.name + " x " + explainer.name, lacking);
          continue;
        }
      cells_of(dataset, model, &explainer);
    }
  }

  void cells_of(const Component& dataset, const Component& model, const Component* explainer) {
    const bool known = dataset.usable() && model.usable() && (!explainer || explainer->usable());
    auto views = views_of(dataset, model, explainer != nullptr);
    std::vector<std::string> controls = {"none"};
    if (explainer != nullptr)
      controls = explainer->controls.empty() ? plan_.run_file.controls : explainer->controls;
    if (std::ranges::any_of(controls, &Control::moves_samples, control_named))
      views.emplace_back(metrics::kCleanExplanation);
    if (explainer != nullptr && plan_.run_file.seeds.size() > 1)
      views.emplace_back(metrics::kOtherSeeds);
    const std::string subject =
        dataset.name + " x " + model.name + (explainer ? " x " + explainer->name : "");

    const std::string other_subject = explainer != nullptr
                                          ? "it judges the model itself, and this is an explanation"
                                          : "it judges explanations, and this is the model itself";
    Asked asked;
    for (const auto& name : built_in_) {
      const auto* metric = metrics::catalogue().metric(name);
      if (judges_explanations(metric->needs, model.offers) != (explainer != nullptr)) {
        asked.not_applicable.push_back({name, other_subject});
        continue;
      }
      const auto lacking = missing(metric->needs, views);
      if (lacking.empty() || !known) {
        (metrics::is_over_seeds(name)            ? asked.over_seeds
         : metrics::peer_metric(name) != nullptr ? asked.with_clean
                                                 : asked.metrics)
            .push_back(name);
      } else {
        asked.not_applicable.push_back({name, missing_text(lacking)});
        skip(subject + " x " + name, lacking);
      }
    }
    for (const Component& metric : plan_.metric_plugins) {
      const auto needs = metric.needs();
      // What a plugin is for is known of its metadata, also where it must not be used. Of one whose
      // metadata cannot be read it is not: the explanations fail, or the models of a run without any.
      const auto& metadata = metric.plugin.metadata;
      const bool readable = metadata && metadata->fits_border();
      const bool of_explanations =
          readable ? judges_explanations(needs, model.offers) : !plan_.explainers.empty();
      if (of_explanations != (explainer != nullptr)) {
        if (readable)
          for (const auto& score : scores_of(metric))
            asked.not_applicable.push_back({score, other_subject});
        continue;
      }
      const auto lacking = missing(needs, views);
      if (!readable || lacking.empty() || !known) {
        asked.plugins.push_back(&metric);
      } else {
        for (const auto& score : scores_of(metric))
          asked.not_applicable.push_back({score, missing_text(lacking)});
        skip(subject + " x " + metric.name, lacking);
      }
    }
    if (asked.metrics.empty() && asked.over_seeds.empty() && asked.with_clean.empty() &&
        asked.plugins.empty())
      return;  // nothing would be said about this subject

    if (explainer != nullptr && explainer->usable() && !contains(explainer->offers, "dictionary"))
      std::erase_if(controls, [&](const std::string& control) {
        const bool lacking = control_named(control).needs_dictionary();
        if (lacking) skip(subject + " x " + control, {"dictionary"});
        return lacking;
      });
    for (const std::int64_t seed : plan_.run_file.seeds)
      for (const auto& control : controls)
        cell(dataset, model, explainer, seed, control_named(control), asked);
  }

  void too_many() {
    const std::string text = "more than " + std::to_string(kMostCells) +
                             " combinations: split the run file, or sweep over less";
    if (said_.insert(text).second) diagnostics_.add({1, 1}, text);
  }

  void cell(const Component& dataset, const Component& model, const Component* explainer,
            std::int64_t seed, const Control& control, const Asked& asked) {
    const sdk::Seed base(static_cast<std::uint64_t>(seed));
    const std::string subject = dataset.key + " " + model.lineage;
    const std::string lineage = subject + " " + (explainer ? explainer->lineage : "none");
    Cell out;
    out.key = results::cell_key(
        {"", dataset.key, model.key, explainer ? explainer->key : "", seed, control.name});
    if (wanted_ != nullptr && wanted_->count(out.key) == 0) return;
    if (plan_.cells.size() == kMostCells) return too_many();
    if (!seen_.insert(out.key).second) return;  // the same component twice in the run file
    out.dataset = &dataset;
    out.model = &model;
    out.explainer = explainer;
    out.seed = seed;
    out.control = control.name;
    out.control_seed = base.child("control").child(control.name).child(lineage).value();
    out.peer_metrics = asked.over_seeds;
    out.not_applicable = asked.not_applicable;
    out.binaries = dataset.binary + "; " + model.binary;
    if (explainer) out.binaries += "; " + explainer->binary;

    const std::size_t data = node(Stage::kDataset, dataset, {}, seed, dataset.key);
    const std::size_t trained = node(Stage::kModel, model, {data}, seed, subject);
    std::vector<std::size_t> inputs = {data, trained};
    const auto explanation = [&](const Control& of) {
      const std::uint64_t drawn_from =
          of.explains_anew() ? explained_seed(of, seed, dataset.key, model.key) : 0;
      const std::size_t made =
          node(Stage::kExplain, *explainer, {data, trained}, seed, lineage, of, drawn_from);
      plan_.nodes[made].calls = calls_of(*explainer, model);
      if (!plan_.nodes[made].calls.empty()) plan_.nodes[made].called = &model;
      if (of.redraws_head && contains(model.offers, "redrawn_head"))
        plan_.nodes[made].redrawn = &model;
      return made;
    };
    const Control& clean = controls().front();
    if (explainer) inputs.push_back(explanation(control.explains_anew() ? control : clean));

    const std::size_t index = plan_.cells.size();
    const auto add_score = [&](const Component* plugin) -> Node& {
      Node score;
      score.stage = Stage::kScore;
      score.key = out.key + (plugin ? " " + plugin->key : "");
      score.label = plugin ? plugin->name : "metrics";
      score.needs = inputs;
      score.component = plugin;
      score.metrics = plugin ? scores_of(*plugin) : asked.metrics;
      // Not of the explainer: all explanations of a model are judged under the same draws, so that
      // a metric that cannot tell two of them apart gives the same number.
      score.seed = base.child("score").child(plugin ? plugin->key : "").child(subject).value();
      score.cell = index;
      out.score_nodes.push_back(plan_.nodes.size());
      return plan_.nodes.emplace_back(std::move(score));
    };
    // What is asked for over seeds alone still makes a cell: its explanation has to be there.
    if (!asked.metrics.empty() || asked.plugins.empty()) add_score(nullptr);
    for (const Component* plugin : asked.plugins) add_score(plugin);
    if (!asked.with_clean.empty() && control.moves_samples()) {
      const std::size_t beside = explanation(clean);
      Node& score = add_score(nullptr);
      score.key += " with the clean explanation";
      score.label = "metrics beside the clean explanation";
      score.metrics = asked.with_clean;
      score.needs.push_back(beside);
      score.peers = {{trained, beside, 0}};
    } else {
      for (const auto& metric : asked.with_clean)
        out.not_applicable.push_back({metric, "it judges only the controls poisoned and noisy"});
    }
    plan_.cells.push_back(std::move(out));
  }

  /// The node of an artifact; the one that is already there when another cell needs the same.
  std::size_t node(Stage stage, const Component& component, std::vector<std::size_t> needs,
                   std::int64_t seed, const std::string& lineage,
                   const Control& control = controls().front(), std::uint64_t control_seed = 0) {
    std::vector<std::string> inputs;
    for (const std::size_t need : needs) inputs.push_back(plan_.nodes[need].identity);
    if (control.explains_anew()) inputs.push_back(explained_input(control, control_seed));
    const std::string identity =
        artifact_key(stage, component.key, component.plugin.sha256, inputs,
                     component.seeded() ? std::optional(seed) : std::nullopt);
    if (const auto it = by_identity_.find(identity); it != by_identity_.end()) return it->second;
    Node out;
    out.stage = stage;
    out.identity = identity;
    out.label = component.name + (component.seeded() ? " #" + std::to_string(seed) : "");
    out.needs = std::move(needs);
    out.component = &component;
    out.seed = work_seed(component, stage, seed, lineage);
    if (control.explains_anew())
      out.label += control.trains_twin       ? ", " + control.name
                   : control.moves_samples() ? " of " + control.name + " samples"
                                             : " of a random model";
    out.control = control.name;
    out.control_seed = control_seed;
    out.key = cache_key(identity, making_of(made_by_text(here_, plugins_of(plan_, out))));
    by_identity_[identity] = plan_.nodes.size();
    plan_.nodes.push_back(std::move(out));
    return plan_.nodes.size() - 1;
  }

  std::string run_key() const {
    std::vector<std::string> keys;
    for (const auto& cell : plan_.cells) keys.push_back(cell.key);
    return results::run_key(plan_.run_file.name, std::move(keys), plan_.metrics);
  }

  Plan& plan_;
  Diagnostics& diagnostics_;
  const std::set<std::string>* wanted_;  ///< nullptr: every cell is
  std::vector<std::string> built_in_;
  std::set<std::string> seen_, said_;
  std::map<std::string, std::size_t> by_identity_;
  const std::string here_;  ///< what decides of this environment
};

/// The datasets that models and explainers keep to are there.
void check_references(const Plan& plan, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto& request : plan.run_file.datasets)  // one that is optional may have been left out
    for (const auto& name : {request.id, request.name})
      if (!name.empty()) known.push_back(name);
  for (const auto& dataset : plan.datasets) known.push_back(dataset.name);
  for (const auto* requests : {&plan.run_file.models, &plan.run_file.explainers})
    for (const auto& request : *requests)
      for (const auto& [name, place] : request.datasets)
        if (!contains(known, name))
          diagnostics.add(place, "there is no dataset " + name + did_you_mean(name, known));
}

}  // namespace

std::uint64_t work_seed(const Component& component, Stage stage, std::int64_t seed,
                        const std::string& lineage) {
  return sdk::Seed(component.seeded() ? static_cast<std::uint64_t>(seed) : 0)
      .child(to_string(stage))
      .child(lineage)
      .value();
}

std::uint64_t explained_seed(const Control& control, std::int64_t seed,
                             const std::string& dataset_key, const std::string& model_key) {
  return sdk::Seed(static_cast<std::uint64_t>(seed))
      .child("control")
      .child(control.moves_samples() ? "poisoned" : control.name)
      .child(dataset_key + " " + model_key)
      .value();
}

std::string explained_input(const Control& control, std::uint64_t explained_seed) {
  if (control.trains_twin) return "twin " + control.name;
  return (control.moves_samples() ? control.name + " samples" : "head") + " drawn from " +
         std::to_string(explained_seed);
}

void plan_cells(Plan& plan, const std::set<std::string>& wanted, Diagnostics& diagnostics) {
  Planner(plan, diagnostics, &wanted).run();
  diagnostics.throw_if_any();
}

std::string artifact_key(Stage stage, const std::string& component,
                         const std::string& plugin_sha256, const std::vector<std::string>& inputs,
                         std::optional<std::int64_t> seed) {
  std::string made_from;
  for (const std::string& input : inputs) made_from += input + " ";
  return make_key("artifact", to_string(stage), component, plugin_sha256, made_from,
                  seed ? std::to_string(*seed) : "any");
}

std::string plugins_of(const Plan& plan, const Node& artifact) {
  std::string out;
  for (const std::size_t need : artifact.needs) out += plan.nodes[need].component->binary + "; ";
  return out + artifact.component->binary;
}

std::vector<const Component*> Plan::components() const {
  std::vector<const Component*> out;
  for (const auto* list : {&datasets, &models, &explainers, &metric_plugins})
    for (const Component& component : *list) out.push_back(&component);
  return out;
}

std::string Plan::binaries_of(const Cell& cell, const std::set<std::string>& scores) const {
  std::string out = cell.binaries;
  for (const Component& plugin : metric_plugins)
    if (std::ranges::any_of(scores_of(plugin),
                            [&](const std::string& score) { return scores.contains(score); }))
      out += "; " + plugin.binary;
  return out;
}

std::string Cell::label() const {
  return dataset->name + " x " + model->name + (explainer ? " x " + explainer->name : "") + " #" +
         std::to_string(seed) + (control == "none" ? "" : " " + control);
}

Plan make_plan(const RunFile& run_file, const Registry& registry, const Quarantine& quarantine,
               Diagnostics& diagnostics) {
  Plan plan;
  plan.run_file = run_file;
  std::vector<std::filesystem::path> folders = {
      std::filesystem::absolute(run_file.path).parent_path()};
  if (!run_file.data_folder.empty()) folders.push_back(run_file.data_folder);
  const auto resolve_all = [&](const std::vector<ComponentRequest>& requests, Kind kind,
                               std::vector<Component>& out) {
    std::map<std::string, std::string> key_of, name_of;
    for (const auto& request : requests)
      for (auto& component : resolve(request, kind, registry, quarantine, folders, diagnostics)) {
        const auto [it, fresh] = key_of.try_emplace(component.name, component.key);
        if (!fresh && it->second != component.key)
          diagnostics.add(request.place, "another " + std::string(to_string(kind)) +
                                             " is already named " + component.name +
                                             "; give this one a name of its own");
        const auto [known, first] = name_of.try_emplace(component.key, component.name);
        if (!first && known->second != component.name)
          diagnostics.add(request.place,
                          known->second + " and " + component.name + " are one " + to_string(kind) +
                              ": the same plugin with the same parameters and files, which has one "
                              "place on a board; leave one of them out");
        component.plugin.python = run_file.python;
        out.push_back(std::move(component));
      }
  };
  resolve_all(run_file.datasets, Kind::kDataset, plan.datasets);
  plan.skipped = diagnostics.notes();
  resolve_all(run_file.models, Kind::kModel, plan.models);
  resolve_all(run_file.explainers, Kind::kExplainer, plan.explainers);
  resolve_all(run_file.metric_plugins, Kind::kMetric, plan.metric_plugins);
  check_references(plan, diagnostics);
  Planner(plan, diagnostics, nullptr).run();
  diagnostics.throw_if_any();
  return plan;
}

}  // namespace conoscope::core
