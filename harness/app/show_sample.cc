// SPDX-License-Identifier: Apache-2.0
#include "harness/app/show_sample.h"

#include <iostream>
#include <map>
#include <numeric>
#include <set>

#include "harness/app/cell_data.h"
#include "harness/app/command.h"
#include "harness/app/plugin_access.h"
#include "harness/app/plugin_info.h"
#include "harness/app/text_file.h"
#include "harness/app/verify.h"
#include "harness/core/plan/controls.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/stored_cells.h"
#include "harness/core/run/supervisor.h"
#include "metrics/summaries/summary.h"
#include "results/boards/summaries.h"
#include "results/report/explained_sample.h"
#include "results/store/sqlite.h"

namespace conoscope::app {

namespace {

/// Nothing to say while it works: it takes seconds.
class Silent final : public core::RunObserver {
 public:
  void cell_finished(const core::CellEnd& end, std::size_t, std::size_t) override {
    if (end.status != results::Status::ok) fault = end.message;
  }
  void tick(const std::vector<std::pair<std::string, double>>&) override {}
  void message(const std::string& text) override { std::cerr << text << '\n'; }

  std::string fault;
};

/// A cell, its newest run, and its twins of the same run.
struct Asked {
  std::string run, explainer;
  std::map<std::string, std::string> cells;  ///< by control, "none" first
};

Asked asked_of(results::Store& store, const std::string& cell) {
  Asked out;
  auto& own = store.connection().kept(
      "SELECT attempt.run, coalesce(component.name, '') FROM attempt "
      "JOIN cell ON cell.key = attempt.cell "
      "LEFT JOIN component ON component.key = cell.explainer "
      "WHERE attempt.cell = ? ORDER BY attempt.number DESC LIMIT 1");
  if (own.bind_all(cell).step()) {
    out.run = own.text(0);
    out.explainer = own.text(1);
  }
  own.reset();
  if (out.run.empty()) throw UsageError("show --sample: cell " + cell + " was not tried yet");
  if (out.explainer.empty())
    throw UsageError("show --sample: nothing explains cell " + cell +
                     ", which judges a model; choose one that has an explainer");
  auto& twins = store.connection().kept(
      "SELECT twin.control, twin.key FROM cell AS own JOIN cell AS twin "
      "ON twin.dataset = own.dataset AND twin.model = own.model AND "
      "twin.explainer = own.explainer AND twin.seed = own.seed "
      "JOIN run_cell ON run_cell.cell = twin.key AND run_cell.run = ? WHERE own.key = ?");
  twins.bind_all(out.run, cell);
  while (twins.step())
    if (const auto* control = core::find_control(twins.text(0));
        twins.text(1) == cell || (control != nullptr && control->draws_importance))
      out.cells[twins.text(0)] = twins.text(1);
  twins.reset();
  return out;
}

/// explained_samples of these cells, scored in a store of their own.
std::vector<results::CellSummary> scored(const Options& options, results::Store& store,
                                         const Asked& asked, const results::SummaryShape& shape) {
  core::Quarantine quarantine = open_quarantine(options);
  const core::Registry registry = scan_plugins(options, quarantine);
  const core::Cache cache(options.cache());
  const core::WorkFolder scratch(cache);
  std::set<std::string> cells;
  for (const auto& [control, key] : asked.cells) cells.insert(key);
  const auto planned =
      core::plan_stored_cells(store, asked.run, cells, {shape.name},
                              {registry, quarantine, data_folders(options)}, scratch.path());
  if (const auto why = planned.reason.find(asked.cells.begin()->second);
      why != planned.reason.end())
    throw UsageError("show --sample: " + why->second);
  auto again = results::Store::open(":memory:", results::Mode::kReadWrite);
  core::register_run(planned.plan, again);
  ask_for_access(planned.plan, options);
  core::RunOptions run_options;
  run_options.confine = options.confine();
  std::vector<std::size_t> todo(planned.plan.cells.size());
  std::iota(todo.begin(), todo.end(), std::size_t{0});
  Silent observer;
  const auto ended =
      core::run_cells(planned.plan, todo, again, cache, quarantine, run_options, observer);
  if (ended.signal != 0) throw Stopped{ended.signal};
  auto out = results::cell_summaries(again, planned.plan.run_key, shape);
  if (!out.empty()) return out;
  auto& why = again.connection().kept("SELECT message FROM score WHERE message <> '' LIMIT 1");
  const std::string message = why.step() ? why.text(0) : observer.fault;
  why.reset();
  throw UsageError("show --sample: " + message);
}

/// A row for each addend, with the sum so far.
results::Table table_of(const std::map<std::string, results::ExplainedSample>& by_control) {
  using results::Column;
  using results::ColumnType;
  results::Table out{{{"control"},
                      {"term"},
                      {"score", ColumnType::kReal},
                      {"importance", ColumnType::kReal},
                      {"contribution", ColumnType::kReal},
                      {"logit", ColumnType::kReal}},
                     {}};
  for (const auto& [control, of] : by_control) {
    double sum = of.bias;
    out.add({control, std::string("bias"), {}, {}, of.bias, sum});
    for (const results::ConceptTerm& term : of.terms) {
      sum += term.contribution;
      if (term.concept_id)
        out.add({control, "concept " + std::to_string(*term.concept_id), term.score,
                 term.importance, term.contribution, sum});
      else
        out.add({control, std::string("all others"), {}, {}, term.contribution, sum});
    }
    out.add({control, std::string("surrogate"), {}, {}, {}, of.surrogate_logit});
    out.add({control, std::string("model"), {}, {}, {}, of.logit});
  }
  return out;
}

}  // namespace

void add_sample_options(Options& options) {
  options.integer("sample", "N",
                  "how the cell and its randomised twins explain test sample N, counted from 0");
  options.text("output,o", "FILE", "with --sample: draw it, as FILE.svg");
  options.texts("data", "DIR", "look for the data files of run files here first; may be repeated");
  options.with_plugins();
  options.with_confinement();
}

void show_sample(const Options& options, results::Store& store, const std::string& cell) {
  const std::string number = std::to_string(options.number("sample", 0));
  const bool draws = options.has("output");
  const std::filesystem::path path = draws ? options.get<std::string>("output") : std::string();
  if (draws && path.extension() != ".svg")
    throw UsageError("-o " + path.string() + ": a name that ends with .svg");
  const Asked asked = asked_of(store, cell);
  const auto& columns = metrics::find_summary("explained_samples")->columns;
  const results::SummaryShape shape{"explained_samples(sample=" + number + ")", columns};
  std::map<std::string, results::ExplainedSample> by_control;  // "none" comes first
  for (const results::CellSummary& one : scored(options, store, asked, shape))
    by_control[one.control] = results::explained_samples(one.values, shape).at(0);
  if (!draws) {
    std::cout << results::to_text(table_of(by_control), options.format());
    return;
  }
  std::vector<results::ExplainedPanel> panels;
  for (const auto& [control, of] : by_control)
    panels.push_back({control == "none" ? asked.explainer : "its twin: " + control, of});
  results::PictureSheet sheet;
  const std::string svg = results::explained_sample_svg(
      panels, KeptCellData(store, options.cache()).of(cell), sheet, true);
  replace_file(path, svg);
  std::cerr << path.string() << ": " << (svg.size() + 1023) / 1024 << " KiB\n";
}

}  // namespace conoscope::app
