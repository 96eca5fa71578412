// SPDX-License-Identifier: Apache-2.0
#include "harness/app/print_measured.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "conoscope/sdk/plugin.h"
#include "harness/app/store_options.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/npz_file.h"
#include "harness/core/measure/wanted_arrays.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"
#include "results/boards/estimate.h"
#include "results/formats/human_text.h"

namespace conoscope::app {

namespace fs = std::filesystem;
using results::Column;
using results::Field;
using results::Table;

namespace {

std::string what_is_missing(const core::MissingViews& missing) {
  std::vector<std::string> arrays;
  for (const auto& view : missing.views) arrays.push_back(core::what_brings(view));
  return results::listed(arrays);
}

/// The mean over the splits that have a value; the reason and the words of the first that has none.
struct SplitMean {
  Field value;
  std::string reason, message;
};

SplitMean summary_of(const core::MeasuredScore& score, double resampled) {
  std::vector<double> values;
  SplitMean out;
  for (const auto& row : score.scores) {
    if (row.value) values.push_back(*row.value);
    if (out.reason.empty()) out.reason = row.reason;
    if (out.message.empty()) out.message = row.message;
  }
  if (!values.empty()) out.reason.clear();
  const auto asked = static_cast<std::int64_t>(score.scores.size());
  if (asked == 1)
    out.value = values.empty() ? Field() : Field(values.front());
  else if (values.empty())
    out.value = results::Estimate{0, std::nullopt, 0, asked};
  else
    out.value = results::estimate_of(values, asked, resampled);
  return out;
}

/// Does anything have a control? Then the column says which.
bool has_controls(const core::Measured& measured) {
  return std::ranges::any_of(measured.subjects,
                             [](const auto& subject) { return subject.control != "none"; });
}

Table score_table(const core::Measured& measured, bool machine) {
  const bool repeated = !measured.subjects.empty() && measured.subjects.front().costs.size() > 1;
  const bool controls = has_controls(measured);
  Table table{{Column::text("judged"), Column::text("metric"),
               repeated ? Column::estimate("value") : Column::real("value"), Column::text("better"),
               Column::text("reason"), Column::text("message")},
              {}};
  if (controls) table.columns.insert(table.columns.begin() + 1, {"control"});
  const auto add = [&](const std::string& control, std::vector<Field> row) {
    if (controls) row.insert(row.begin() + 1, control);
    table.add(std::move(row));
  };
  for (const auto& subject : measured.subjects)
    for (const auto& score : subject.scores) {
      const SplitMean summary = summary_of(score, measured.resampled());
      add(subject.control, {subject.name, score.metric, summary.value, score.better, summary.reason,
                            summary.message});
    }
  if (machine)
    for (const auto& missing : measured.missing)
      add("", {std::string(), missing.metric, repeated ? Field(results::Estimate{}) : Field(),
               missing.better, std::string("not_applicable"), "needs " + what_is_missing(missing)});
  return table;
}

Table part_table(const core::Measured& measured) {
  const bool controls = has_controls(measured);
  Table table{{Column::text("judged"), Column::text("metric"), Column::integer("part"),
               Column::text("name"), Column::real("value")},
              {}};
  if (controls) table.columns.insert(table.columns.begin() + 1, {"control"});
  for (const auto& subject : measured.subjects)
    for (const auto& score : subject.scores) {
      if (score.by_sample) continue;
      for (std::size_t i = 0; i < score.parts.size(); ++i) {
        const auto part = static_cast<std::int64_t>(i);
        const double value = score.parts[i];
        std::vector<Field> row = {subject.name, score.metric, part,
                                  core::name_of_part(score.metric, part, measured.names),
                                  std::isnan(value) ? Field() : Field(value)};
        if (controls) row.insert(row.begin() + 1, subject.control);
        table.add(std::move(row));
      }
    }
  return table;
}

/// A group's name stands for its metrics where several are listed, and all but some on request.
std::vector<std::string> by_group(const std::vector<std::string>& metrics) {
  const auto& catalogue = metrics::catalogue();
  std::vector<std::string> out;
  for (const auto& name : metrics) {
    const auto* metric = catalogue.metric(name);
    const std::string group(metric != nullptr ? std::string(metric->group) : "");
    const auto whole = catalogue.select(group);
    const bool all = std::ranges::all_of(whole, [&](const metrics::Metric* other) {
      return other->on_request || core::contains(metrics, other->name);
    });
    const auto listed = std::ranges::count_if(
        whole, [&](const metrics::Metric* other) { return core::contains(metrics, other->name); });
    const std::string& shown = all && listed > 1 ? group : name;
    if (!core::contains(out, shown)) out.push_back(shown);
  }
  return out;
}

/// One line for each set of missing arrays: what is missing, and what it keeps from being said.
void print_missing(const core::Measured& measured, bool asked) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> metrics;
  for (const auto& missing : measured.missing) {
    const std::string arrays = what_is_missing(missing);
    if (metrics.find(arrays) == metrics.end()) order.push_back(arrays);
    metrics[arrays].push_back(missing.metric);
  }
  if (!order.empty())
    std::cerr << (asked ? "not applied, for want of\n" : "more could be said, with\n");
  for (const auto& arrays : order)
    std::cerr << "  " << arrays << ": " << results::listed(by_group(metrics[arrays])) << '\n';
}

}  // namespace

void print_measured(const core::Measured& measured, bool asked, bool parts,
                    results::Format format) {
  const bool machine = !format.for_people;
  const Table scores = score_table(measured, machine);
  if (parts)
    print({{"scores", scores}, {"parts", part_table(measured)}}, format);
  else if (!scores.rows.empty() || machine)
    std::cout << results::to_text(scores, format);
  for (const auto& fault : measured.faults) std::cerr << "failed: " << fault << '\n';
  if (!machine) print_missing(measured, asked);
}

void save_parts(const core::Measured& measured, const core::Cache& cache, const fs::path& file) {
  const core::WorkFolder work(cache);
  core::ArtifactWriter writer(work.path() / "parts");
  sdk::Sink sink(writer.sink());
  std::ranges::copy(
      measured.rows,
      sink.create<std::int64_t>("rows", {static_cast<std::int64_t>(measured.rows.size())}).begin());
  for (const auto& subject : measured.subjects)
    for (const auto& score : subject.scores) {
      if (!score.by_sample) continue;
      std::string name = score.metric;
      if (subject.control != "none") name = subject.control + "." + name;
      if (measured.subjects.size() > 1) name = subject.name + "." + name;
      for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '_';
      std::ranges::copy(
          score.parts,
          sink.create<double>(name, {static_cast<std::int64_t>(score.parts.size())}).begin());
    }
  writer.finish();
  core::write_npz(work.path() / "parts", file);
}

}  // namespace conoscope::app
