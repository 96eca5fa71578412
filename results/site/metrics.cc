// SPDX-License-Identifier: Apache-2.0
#include "results/report/group_text.h"
#include "results/report/headline.h"
#include "results/report/page.h"
#include "results/site/contents.h"

namespace conoscope::results {

namespace {

/// What the store itself knows, of a metric that nobody here does.
Table declared_facts(const std::string& name, const SiteMetric& metric) {
  Table out{{{"key"}, {"value"}}, {}};
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, std::string>>{{"metric", name},
                                                                  {"group", metric.group},
                                                                  {"question", metric.question},
                                                                  {"better", metric.direction},
                                                                  {"unit", metric.unit},
                                                                  {"source", metric.citation}})
    if (!value.empty()) out.add({std::string(key), value});
  return out;
}

/// On a metric's own page.
SiteTable without_metric(SiteTable of) {
  of.table = without_column(of.table, "metric");
  return of;
}

void write_metric_page(const SiteContents& contents, const std::string& name,
                       const SiteMetric& metric, const SiteSink& sink) {
  SitePage page(contents.options, metric.page, name);
  page.add("<p class=\"question\">" + html_text(metric.question) + "</p>\n");
  page.list("care", metric.fails);
  Table facts = contents.options.metric_facts(name);
  if (facts.rows.empty()) facts = declared_facts(name, metric);
  page.add("<div class=\"facts\">")
      .table({"facts", "Definition and source", facts})
      .add("</div>\n");
  if (const GroupText text = group_text(metric.group); !text.formulas.empty())
    page.add("<details><summary>Formulas of its group, " + html_text(metric.group) + "</summary>" +
             pre_html(text.formulas) + "</details>\n");
  page.heading("Can it be trusted?");
  if (metric.ladders.empty())
    page.paragraph("No study here puts it on a sanity ladder.");
  else
    page.table(without_metric(ladder_table(contents, {name})));
  const auto tables = site_audit_tables(contents, name, nullptr);
  if (tables.empty())
    page.paragraph("There is no audit of it: it has no better end, or no study scores it.");
  for (const SiteTable& table : tables) page.table(without_metric(table));
  page.heading("Scores");
  std::vector<const SiteScore*> scores;
  for (const SiteScore& score : contents.scores)
    if (score.metric == name) scores.push_back(&score);
  page.table(score_table(contents, scores, false)).list("below", {marks_legend()});
  page.write(sink);
}

}  // namespace

void write_metric_pages(const SiteContents& contents, const SiteSink& sink) {
  SitePage all(contents.options, "metrics.html", "Metrics");
  SiteTable table{"metrics",
                  "The metrics that studies ask for",
                  {{Column::text("metric"), Column::text("group"), Column::text("asks"),
                    Column::text("better"), Column::text("take care")},
                   {}}};
  for (const auto& [name, metric] : contents.metrics) {
    std::string fails;
    for (const std::string& why : metric.fails) fails += (fails.empty() ? "" : "; ") + why;
    table.table.add({name, metric.group, metric.question, metric.direction, fails});
    table.links[{"metric", name}] = metric.page;
    write_metric_page(contents, name, metric, sink);
  }
  table.table = without_empty_columns(table.table);
  all.table(table).write(sink);
}

}  // namespace conoscope::results
