// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "results/boards/status.h"
#include "results/report/page.h"
#include "results/report/plot.h"
#include "results/site/contents.h"

namespace conoscope::results {

namespace {

/// Beyond so many rows a picture says less than the report's.
constexpr std::size_t kMostDrawn = 40;

/// The board's first score with its controls, as points; empty where there are too many rows, or none
/// with a number.
std::string plot_of_board(const SiteBoard& board) {
  if (board.table.rows.size() > kMostDrawn) return {};
  Table drawn = board.table;
  std::vector<std::string> kept;
  bool has_number = false;
  for (std::size_t i = 0; i < drawn.columns.size(); ++i) {
    const std::string& name = drawn.columns[i].name;
    if (drawn.columns[i].type == ColumnType::kEstimate) {
      if (name.substr(0, name.find('@')) != board.metric) continue;
      for (const auto& row : drawn.rows)
        if (const auto* number = std::get_if<Estimate>(&row[i]))
          has_number = has_number || number->n > 0;
    }
    kept.push_back(name);
  }
  if (!has_number) return {};
  drawn.keep(kept);
  return "<div class=\"plot\" tabindex=\"0\" role=\"region\" aria-label=\"Picture\">" +
         plot_inline(drawn, board.metric) + "</div>\n";
}

SiteTable metrics_table(const SiteContents& contents, const SiteStudy& study) {
  SiteTable out{"metrics",
                "What its metrics ask",
                {{Column::text("metric"), Column::text("asks"), Column::text("better"),
                  Column::text("unit"), Column::text("take care")},
                 {}}};
  for (const std::string& name : study.metrics) {
    const SiteMetric& metric = contents.metrics.at(name);
    out.links[{"metric", name}] = metric.page;
    std::string fails;
    for (const std::string& why : metric.fails) fails += (fails.empty() ? "" : "; ") + why;
    out.table.add({name, metric.question, metric.direction, metric.unit, fails});
  }
  out.table = without_empty_columns(out.table);
  return out;
}

void add_run(SitePage& page, const SiteContents& contents, const SiteStudy& study) {
  const StatusReport report = status(contents.store, study.run.key);
  page.heading("What was run");
  page.table({"run", "Cells by what became of them", without_empty_columns(report.runs)});
  page.table({"failures", "Cells that are not complete", without_empty_columns(report.failures)});
  page.table(
      {"messages", "What metrics say about their scores", without_empty_columns(report.messages)});
  if (contents.options.shipped.contains(study.run.name))
    page.paragraph("Its run file comes with the program:")
        .add(pre_html("conoscope run " + study.run.name + "\n"));
  page.add("<details><summary>Its run file</summary>" + pre_html(study.run.file_text) +
           "</details>\n");
}

void write_report_of(const SiteContents& contents, const SiteStudy& study, const SiteSink& sink) {
  ReportOptions options = contents.options.report;
  options.runs = {study.run.key};
  options.back = "../" + study.page;
  std::ostringstream out;
  write_report(contents.store, options, out);
  sink(study.report, out.str());
}

}  // namespace

void write_study_pages(const SiteContents& contents, const SiteSink& sink) {
  for (const SiteStudy& study : contents.studies) {
    SitePage page(contents.options, study.page, study.run.name);
    if (!study.question.empty())
      page.add("<p class=\"question\">" + html_text(study.question) + "</p>\n");
    page.paragraph(study.about);
    page.add("<p class=\"more\">" +
             page.link(study.report, "Report: pictures, differences, explanations") + "</p>\n");
    page.heading("Leaderboard");
    page.table({"board", "As conoscope board prints it", study.board.table, study.links,
                contents.metric_pages, study.board.doubtful});
    if (study.board.table.rows.empty()) page.paragraph("There is none.");
    page.list("below", study.board.notes);
    page.list("care", study.board.care);
    page.add(plot_of_board(study.board));
    page.heading("Metrics");
    page.table(metrics_table(contents, study));
    const auto tables = site_audit_tables(contents, "", &study);
    if (!tables.empty())
      page.heading("What its metrics tell apart")
          .paragraph(
              "mrd is the smallest reliable difference: two means of equal truth differ by less in "
              "95 of 100 cases. mde is the true difference that is found in 80 of 100.");
    for (SiteTable table : tables) {
      table.table = without_column(table.table, "study");
      page.table(table);
    }
    std::vector<std::string> on_ladders;
    std::ranges::copy_if(study.metrics, std::back_inserter(on_ladders),
                         [&](const std::string& name) {
                           return contents.metrics.at(name).ladder_run == study.run.key;
                         });
    if (!on_ladders.empty())
      page.heading("Sanity ladders").table(ladder_table(contents, on_ladders));
    add_run(page, contents, study);
    page.write(sink);
    write_report_of(contents, study, sink);
  }
}

}  // namespace conoscope::results
