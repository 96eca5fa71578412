// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <stdexcept>

#include "results/formats/human_text.h"
#include "results/report/embedded.h"
#include "results/report/sections.h"
#include "results/store/query.h"

namespace conoscope::results {

namespace {

/// What docs/metrics.md says of a group: the question that its heading asks, and its formulas, which
/// are indented by four spaces there.
struct GroupText {
  std::string question, formulas;
};

GroupText group_text(std::string_view group) {
  GroupText out;
  const auto& files = embedded_files();
  const auto page = std::ranges::find(files, "metrics.md", &EmbeddedFile::name);
  if (page == files.end()) throw std::logic_error("report: metrics.md is not in this build");
  const std::string heading = "\n## `" + std::string(group) + "`: ";
  const auto begin = page->text.find(heading);
  if (begin == page->text.npos) return out;  // of a plugin
  std::string_view rest = page->text.substr(begin + heading.size());
  rest = rest.substr(0, rest.find("\n## "));
  for (bool first = true; !rest.empty(); first = false) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (first)
      out.question = line;
    else if (line.starts_with("    "))
      out.formulas.append(line.substr(4)).append("\n");
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return out;
}

std::string formulas_html(const std::vector<ReportedMetric>& metrics) {
  std::set<std::string> shown;
  std::string out;
  for (const ReportedMetric& metric : metrics) {
    if (!shown.insert(metric.group).second) continue;
    const GroupText text = group_text(metric.group);
    if (text.formulas.empty()) continue;
    out += "<dt><strong>" + html_text(metric.group) + "</strong>: " + html_text(text.question) +
           "</dt>\n<dd><pre>";
    // html_text would show line ends.
    for (std::string_view rest = text.formulas; !rest.empty();) {
      const auto end = rest.find('\n');
      out += html_text(rest.substr(0, end)) + "\n";
      rest.remove_prefix(end + 1);
    }
    out += "</pre></dd>\n";
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
