// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "results/formats/human_text.h"
#include "results/report/group_text.h"
#include "results/report/sections.h"
#include "results/store/query.h"

namespace conoscope::results {

namespace {

std::string formulas_html(const std::vector<ReportedMetric>& metrics) {
  std::set<std::string> shown;
  std::string out;
  for (const ReportedMetric& metric : metrics) {
    if (!shown.insert(metric.group).second) continue;
    const GroupText text = group_text(metric.group);
    if (text.formulas.empty()) continue;
    out += "<dt><strong>" + html_text(metric.group) + "</strong>: " + html_text(text.question) +
           "</dt>\n<dd>" + pre_html(text.formulas) + "</dd>\n";
  }
  return out.empty() ? out : "<h3>Formulas</h3>\n<dl class=formulas>\n" + out + "</dl>\n";
}

}  // namespace

Section definition_section(const ReportContext& context) {
  PageTable metrics("metric-table", "Metrics",
                    {"metric", "group", "asks", "better", "from", "to", "unit", "source"});
  const Column real{.name = "", .type = ColumnType::kReal, .digits = 2};
  const auto bound = [&real](const Field& field) {
    const std::string text = human_text(field, real);
    return text == "-" ? "unbounded" : text;
  };
  for (const ReportedMetric& metric : context.metrics) {
    PageCell source = metric.citation;
    source.cites = true;
    metrics.add({metric.name, metric.group, metric.question, metric.direction, bound(metric.low),
                 bound(metric.high), metric.unit, source});
  }
  Section section{"definitions", "Definitions and sources", ""};
  if (metrics.empty()) return section;
  section.html = metrics.html() + formulas_html(context.metrics);
  PageTable components("component-table", "Datasets, models and explainers",
                       {"kind", "name", "plugin", "parameters", "licence", "cite"});
  for (const ReportedRun& run : context.runs) {
    const Table found = saved_query(context.store, "components", {{"run", run.key}});
    components.group(context.keys(run, "", "", ""));
    for (const auto& row : found.rows) {
      std::vector<PageCell> cells;
      for (std::size_t i = 0; i < row.size(); ++i)
        cells.push_back(human_text(row[i], found.columns[i]));
      cells.back().cites = true;
      components.add(cells);
    }
  }
  if (!components.empty()) section.html += components.html();
  return section;
}

}  // namespace conoscope::results
