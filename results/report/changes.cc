// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "results/boards/estimate.h"
#include "results/boards/history.h"
#include "results/formats/human_text.h"
#include "results/report/contest.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

/// What one run made of a method with one version of it and of the program.
struct Change {
  std::string first;  ///< the time of its first attempt
  std::string run, version, program;
  std::vector<double> values;
  std::int64_t retracted = 0, asked = 0;
};

using Method = std::tuple<std::string, std::string, std::string>;       // dataset, model, method
using Changes = std::map<std::array<std::string, 3>, Change>;  // by run, version and program

std::map<Method, Changes> read(Store& store, const std::string& metric) {
  const Table table = history(store, {.metric = metric});
  // Columns of history.sql.
  enum {
    kAt,
    kRun,
    kDataset,
    kModel,
    kExplainer,
    kValue = 7,
    kRetracted = 10,
    kVersion = 11,
    kProgram = 13
  };
  const auto text = [](const Field& field) {
    const auto* found = std::get_if<std::string>(&field);
    return found != nullptr ? *found : std::string();
  };
  std::map<Method, Changes> out;
  for (const auto& row : table.rows) {
    const std::string explainer = text(row[kExplainer]);
    const Method method = explainer.empty()
                              ? Method{text(row[kDataset]), kEveryModel, text(row[kModel])}
                              : Method{text(row[kDataset]), text(row[kModel]), explainer};
    Change& change = out[method][{text(row[kRun]), text(row[kVersion]), text(row[kProgram])}];
    if (change.first.empty()) change.first = text(row[kAt]);
    change.run = text(row[kRun]);
    change.version = text(row[kVersion]);
    change.program = text(row[kProgram]);
    ++change.asked;
    const auto* retracted = std::get_if<std::int64_t>(&row[kRetracted]);
    if (retracted != nullptr && *retracted != 0)
      ++change.retracted;
    else if (const auto* value = std::get_if<double>(&row[kValue]))
      change.values.push_back(*value);
  }
  std::erase_if(out, [](const auto& item) { return item.second.size() < 2; });
  return out;
}

/// What tells a change from the others of its method; the program only where nothing else does.
std::string label_of(const Change& change, const Changes& all) {
  const auto same = std::ranges::count_if(all, [&change](const auto& other) {
    return other.second.run == change.run && other.second.version == change.version;
  });
  return change.first.substr(0, 10) + " " + change.run + " " + change.version +
         (same > 1 ? ", conoscope " + change.program : "");
}

/// Where every dataset has one model alone, these compete: contests() calls them by their datasets.
bool compete_across_datasets(const ReportContext& context, const ReportedMetric& metric) {
  return std::ranges::any_of(context.runs, [&](const ReportedRun& run) {
    return std::ranges::find(run.metrics, metric.name) != run.metrics.end() &&
           std::ranges::any_of(contests(context.store, run.key, metric.name, metric.direction),
                               [](const Contest& one) { return one.dataset == kEveryDataset; });
  });
}

}  // namespace

Section change_section(const ReportContext& context) {
  PageTable table("change-table", "Every recorded score, as means by run and version",
                  {kMethodColumn, PageColumn("first attempt", "when"), "run", "version",
                   "conoscope", "attempts", "retracted", PageColumn("mean ± 95 %", "mean")});
  for (const ReportedMetric& metric : context.metrics) {
    const bool across = compete_across_datasets(context, metric);
    for (const auto& [method, changes] : read(context.store, metric.name)) {
      const auto& [dataset, model, method_name] = method;
      const bool by_dataset = across && model == kEveryModel;
      const std::string& name = by_dataset ? dataset : method_name;
      table.group({{"dataset", by_dataset ? kEveryDataset : dataset},
                   {"model", model},
                   {"metric", metric.name}});
      std::set<std::pair<std::string, const Change*>> by_time;
      for (const auto& [key, change] : changes) by_time.insert({change.first, &change});
      for (const auto& [first, change] : by_time) {
        const auto counted = change->asked - change->retracted;
        JsonObject data;
        data.add("method", name)
            .add("when", first)
            .add("label", label_of(*change, changes))
            .add("run", change->run)
            .add("version", change->version);
        std::string text = "-";
        if (!change->values.empty()) {
          const Estimate estimate = estimate_of(change->values, counted);
          text = human_text(estimate);
          data.add(estimate);
        }
        table.add({name, first, change->run, change->version, change->program,
                   std::to_string(change->asked), std::to_string(change->retracted), text},
                  data);
      }
    }
  }
  Section section{"changes", "What changed?", ""};
  if (table.empty()) return section;
  section.html =
      "<p>Methods that were scored by several runs, in several versions or by several versions of "
      "conoscope: the mean over all "
      "attempts of each, whatever its parameters, with the 95 % t interval. Retracted attempts are "
      "counted and left out of the mean.</p>\n" +
      figure_html("change", "change-table") + table.folded_html();
  return section;
}

}  // namespace conoscope::results
