#include "results/formats/people.h"
#include "results/report/sections.h"
#include "results/store/query.h"

namespace conoscope::results {

Section definition_section(const ReportContext& context) {
  PageTable metrics("metric-table", "Metrics",
                    {{.title = "metric"},
                     {.title = "group"},
                     {.title = "asks"},
                     {.title = "better"},
                     {.title = "from"},
                     {.title = "to"},
                     {.title = "unit"},
                     {.title = "source"}});
  const Column real{.name = "", .type = ColumnType::real, .digits = 2};
  const auto bound = [&real](const Field& field) {
    const std::string text = human_text(field, real);
    return text == "-" ? "unbounded" : text;
  };
  for (const ReportedMetric& metric : context.metrics)
    metrics.add({metric.name, metric.group, metric.question, metric.direction, bound(metric.low),
                 bound(metric.high), metric.unit, metric.citation});
  Section section{"definitions", "Definitions and sources", ""};
  if (metrics.empty()) return section;
  section.html = metrics.html();
  PageTable components("component-table", "Datasets, models and explainers",
                       {{.title = "kind"},
                        {.title = "name"},
                        {.title = "plugin"},
                        {.title = "parameters"},
                        {.title = "licence"},
                        {.title = "cite"}});
  for (const ReportedRun& run : context.runs) {
    const Table found = saved_query(context.store, "components", {{"run", run.key}});
    components.group(context.keys(run, "", "", ""));
    for (const auto& row : found.rows) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.size(); ++i)
        cells.push_back(human_text(row[i], found.columns[i]));
      components.add(cells);
    }
  }
  if (!components.empty()) section.html += components.html();
  return section;
}

}  // namespace conoscope::results
