// SPDX-License-Identifier: Apache-2.0
#include "results/report/report.h"

#include <iostream>
#include <sstream>

#include "harness/app/cell_data.h"
#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/plugin_info.h"
#include "harness/app/print_board.h"
#include "harness/app/store_options.h"
#include "harness/app/text_file.h"
#include "harness/core/version.h"
#include "metrics/catalogue.h"
#include "metrics/summaries/summary.h"

namespace conoscope::app {

int report_command(const Arguments& arguments) {
  Options options(
      "report [RUN...] [options]",
      "Writes what the store knows of runs as one HTML file: leaderboards, differences, sanity\n"
      "ladders, numbers of concepts, changes and failures, as tables to sort and filter, each "
      "with\n"
      "its picture. It needs no network and no server; it can be mailed, published and printed.\n"
      "RUN is a name or the start of a key; default: the newest run.",
      {"conoscope report -o report.html", "conoscope report quick full -o both.html"});
  options.positional("runs", -1);
  options.with_store();
  options.text("output,o", "FILE", "where to write", "report.html");
  options.with_plugins();
  if (!options.parse(arguments)) return kOk;
  results::ReportOptions report;
  BoardRequest request;
  const auto registry = scan_plugins(options, open_quarantine(options));
  for (const auto& plugin : registry.plugins()) note_concept_count(plugin, request);
  report.count_parameters = request.count_parameters;
  report.made_by = "conoscope " + std::string(core::version_text());
  for (const auto& metric : metrics::catalogue().metrics())
    report.metric_order.push_back(metric.name);
  for (const auto& summary : metrics::summaries())
    report.summaries.push_back({summary.name, summary.columns});
  auto store = open_store(options);
  KeptCellData data(store, options.cache());
  report.data = [&data](const std::string& cell) { return data.of(cell); };
  for (const auto& run : options.list("runs")) report.runs.push_back(store.find_run(run));
  std::ostringstream page;
  results::write_report(store, report, page);
  const std::string path = options.get<std::string>("output");
  replace_file(path, page.str());
  std::cerr << path << ": " << (page.str().size() + 1023) / 1024 << " KiB";
  if (const std::string why = results::why_no_pictures(); !why.empty())
    std::cerr << ", without pictures: " << why;
  std::cerr << '\n';
  return kOk;
}

}  // namespace conoscope::app
