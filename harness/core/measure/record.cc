// SPDX-License-Identifier: Apache-2.0
#include "harness/core/measure/record.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "harness/core/artifacts/sha256.h"
#include "harness/core/artifacts/view_arrays.h"
#include "harness/core/artifacts/work_folders.h"
#include "harness/core/names.h"
#include "harness/core/plan/plan.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/score_stage.h"
#include "harness/core/run/stored_cells.h"
#include "metrics/peer_metric.h"
#include "results/store/identity.h"

namespace conoscope::core {

namespace {

/// A split is no array of the dataset, and a head over its concepts is the model's.
Kind part_of(std::string_view name) {
  const ViewArray* const array = view_array(name);
  if (array == nullptr || array->view.empty() || array->bringer == Bringer::kModel)
    return Kind::kModel;
  return array->bringer == Bringer::kExplainer ? Kind::kExplainer : Kind::kDataset;
}

/// The arrays of one part, as a component that is known by their content.
Component component_of_arrays(const MeasureRequest& request, const Measured& measured, Kind kind,
                              const std::string& name) {
  Component out;
  out.kind = kind;
  out.plugin = request.data.plugin;
  out.id = "files";
  out.version = request.data.version;
  for (const auto& [array, hash] : measured.hashes) {
    if (part_of(array) != kind) continue;
    out.params += (out.params.empty() ? "" : ";") + array + "=sha256:" + hash;
    out.content += hash;
  }
  if (kind == Kind::kDataset)
    out.params += (out.params.empty() ? "split=" : ";split=") + measured.split;
  if (!out.content.empty()) out.content = make_key(out.content);
  out.key = results::component_key({"", to_string(kind), out.id, out.version, out.params, "", ""});
  out.name = name;
  return out;
}

/// The subject and the split that a cell is of.
using Judged = std::pair<const MeasuredSubject*, std::size_t>;

/// The measurement as a plan without work to do. Fills in what each of its cells is of.
void fill_plan(const MeasureRequest& request, const Measured& measured, const MeasuredNames& names,
               Plan& plan, std::vector<Judged>& judged) {
  plan.run_file.name = names.run;
  plan.run_file.text = results::kMeasuredText;
  plan.metrics = request.metrics;
  plan.datasets = {component_of_arrays(request, measured, Kind::kDataset, names.dataset)};
  plan.models = {component_of_arrays(request, measured, Kind::kModel, names.model)};
  plan.explainers = request.explainers;
  plan.explainers.push_back(
      component_of_arrays(request, measured, Kind::kExplainer, names.explanation));
  plan.metric_plugins = request.metric_plugins;
  for (const Component& plugin : plan.metric_plugins)
    for (const ScoreSpec& score : plugin.plugin.metadata->scores)
      plan.metrics.push_back(score.name);

  for (const MeasuredSubject& subject : measured.subjects)
    for (std::size_t r = 0; r < subject.costs.size(); ++r) {
      Cell cell;
      cell.dataset = &plan.datasets.front();
      cell.model = &plan.models.front();
      if (subject.explanation) {
        const auto fitted = std::ranges::find(request.explainers, subject.name, &Component::name);
        cell.explainer = &plan.explainers[static_cast<std::size_t>(
            fitted - request.explainers.begin())];  // the end: the files' own
      }
      cell.seed = request.seed + static_cast<std::int64_t>(r);
      cell.control = subject.control;
      cell.key =
          results::cell_key({"", cell.dataset->key, cell.model->key,
                             cell.explainer ? cell.explainer->key : "", cell.seed, cell.control});
      cell.binaries = "measured from files; " + request.data.plugin.sha256.substr(0, 16);
      if (cell.explainer) cell.binaries += "; " + cell.explainer->plugin.sha256.substr(0, 16);
      for (const Component& plugin : plan.metric_plugins)
        cell.binaries += "; " + plugin.plugin.sha256.substr(0, 16);
      plan.cells.push_back(std::move(cell));
      judged.emplace_back(&subject, r);
    }
  // An explanation that nobody judged is no part of the run.
  const bool own = std::ranges::any_of(
      plan.cells, [&](const Cell& cell) { return cell.explainer == &plan.explainers.back(); });
  plan.run_key = make_key("run", names.run, plan.datasets.front().key, "measured");
  if (!own) plan.explainers.pop_back();
}

/// The scores of one round, and what they say of the attempt: those over seeds, or the others.
std::vector<results::ScoreRow> rows_of(const std::vector<std::string>& asked, const Judged& of,
                                       bool compared, bool over_seeds,
                                       results::AttemptRow& attempt) {
  const auto& [subject, r] = of;
  std::vector<results::ScoreRow> rows;
  std::set<std::string> given;
  for (const auto& score : subject->scores) {
    given.insert(score.metric);
    if ((compared && metrics::is_over_seeds(score.metric)) != over_seeds) continue;
    rows.push_back(score.scores[r]);
    if (score.scores[r].reason != "error" || attempt.status != results::Status::ok) continue;
    attempt.status = results::Status::failed;
    attempt.stage = "score";
    attempt.message = score.metric + ": " + score.scores[r].message;
  }
  if (over_seeds) return rows;
  for (const auto& metric : asked)
    if (!given.contains(metric))
      rows.push_back({metric, std::nullopt, "not_applicable", "not of what was measured"});
  return rows;
}

}  // namespace

void record_measured(const MeasureRequest& request, const Measured& measured,
                     const MeasuredNames& names, results::Store& store) {
  Plan plan;
  std::vector<Judged> judged;  // of plan.cells
  fill_plan(request, measured, names, plan, judged);
  register_run(plan, store);
  const auto environment = environment_row(request.limits.confine, process_plugins(plan));
  store.add_environment(environment);
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const MeasuredSubject& subject = *judged[i].first;
    const std::size_t r = judged[i].second;
    std::vector<std::string> peers;
    if (!subject.comparisons.empty())
      for (const std::size_t other : subject.comparisons[r].others)
        peers.push_back(plan.cells[i - r + other].key);  // a subject's splits are neighbours
    const auto record = [&](const MeasuredCost& cost, bool over_seeds) {
      results::AttemptRow attempt;
      attempt.id = random_name();
      attempt.cell = plan.cells[i].key;
      attempt.run = plan.run_key;
      attempt.environment = environment.key;
      attempt.started_at = cost.started_at.empty() ? now_text() : cost.started_at;
      attempt.binaries = plan.cells[i].binaries;
      attempt.seconds = cost.seconds;
      attempt.peak_memory = static_cast<std::int64_t>(cost.peak_memory);
      attempt.log_tail = measured.log + judged_rows(measured.train, measured.test) + "\n";
      const auto rows = rows_of(plan.metrics, judged[i], !peers.empty(), over_seeds, attempt);
      store.record(attempt, rows, {}, over_seeds ? peers : std::vector<std::string>());
    };
    record(subject.costs[r], false);
    if (!peers.empty()) record(subject.comparisons[r].cost, true);
  }
}

}  // namespace conoscope::core
