// SPDX-License-Identifier: Apache-2.0
#include "results/report/page.h"
#include "results/site/contents.h"

namespace conoscope::results {

namespace {

std::string counted(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

}  // namespace

void write_front_page(const SiteContents& contents, const SiteSink& sink) {
  SitePage page(contents.options, "index.html", "Leaderboards");
  page.paragraph("Concept-based explanations of neural networks, put to the test: " +
                 counted(contents.methods.size(), "method") + " by " +
                 counted(contents.metrics.size(), "metric") + " in " +
                 (contents.studies.size() == 1
                      ? "one study"
                      : std::to_string(contents.studies.size()) + " studies") +
                 ". A score that is no better than that of its own randomised twin is no evidence "
                 "for the method.");
  std::size_t number = 0;
  for (const SiteStudy& study : contents.studies) {
    page.add("<section><h2>" + page.link(study.page, study.run.name) + "</h2>\n");
    if (!study.question.empty())
      page.add("<p class=\"question\">" + html_text(study.question) + "</p>\n");
    page.paragraph(study.about);
    page.table({"board-" + std::to_string(++number), "Leaderboard of " + study.run.name,
                study.board.table, study.links, contents.metric_pages, study.board.doubtful},
               SitePage::json_of(study.page, "board"));
    if (study.board.table.rows.empty()) page.paragraph("No leaderboard: see its page.");
    page.list("below", study.board.notes).list("care", study.board.care);
    page.add("<p class=\"more\">" + page.link(study.page, "What it found, and how it was run") +
             " · " + page.link(study.report, "Report with pictures") + "</p></section>\n");
  }
  page.write(sink);
}

}  // namespace conoscope::results
