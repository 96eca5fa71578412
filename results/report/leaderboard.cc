#include <boost/algorithm/string/join.hpp>
#include <set>

#include "results/analysis/verdict.h"
#include "results/formats/human_text.h"
#include "results/report/headline.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

JsonObject mark(const std::string& kind, const Estimate& estimate) {
  JsonObject out;
  out.add("kind", kind);
  if (estimate.n == 0) return out;
  return out.add(estimate);
}

void add_row(PageTable& table, const Entrant& entrant, std::int64_t place,
             const std::set<std::string>& controls) {
  const Estimate& estimate = entrant.score.estimate;
  std::vector<std::string> notes = estimate.messages;
  if (!entrant.missing.empty()) notes.push_back(entrant.missing);
  std::vector<std::string> cells = {
      entrant.score.rank ? std::to_string(*entrant.score.rank) : "-", entrant.method,
      human_text(Coverage{entrant.score.n, entrant.score.asked}), human_text(estimate)};
  std::vector<JsonObject> marks = {mark("method", estimate)};
  if (estimate.n == 0) marks[0].add("why", "no number: " + entrant.missing);
  for (const auto& control : controls) {
    cells.emplace_back("-");
    for (const BoardEntry& twin : entrant.twins) {
      if (twin.control != control) continue;
      cells.back() = human_text(twin.estimate);
      if (twin.n > 0) marks.push_back(mark(control, twin.estimate));
    }
  }
  cells.push_back(boost::algorithm::join(notes, "; "));
  JsonObject row;
  row.add("method", entrant.method).add("place", place);
  if (estimate.n > 0) row.add("mean", estimate.mean);
  table.add(cells, row.add("marks", marks));
}

}  // namespace

Section leaderboard_section(const ReportContext& context) {
  struct Group {
    GroupKeys keys;
    std::vector<Entrant> entrants;
  };
  std::vector<Group> groups;
  std::set<std::string> controls;
  PageTable sentences("headline-table", "What the scores say", {"in a sentence"});
  for (const ReportedRun& run : context.runs)
    for (const std::string& metric : run.metrics) {
      std::vector<Contest> found = context.contests(run, metric);
      for (const Headline& headline :
           headlines(context.store, run.key, metric, context.metric(metric).direction, found)) {
        sentences.group(context.keys(run, headline.dataset, headline.model, metric));
        sentences.add({headline.text});
      }
      for (Contest& contest : found) {
        for (const Entrant& entrant : contest.entrants)
          for (const BoardEntry& twin : entrant.twins) controls.insert(twin.control);
        groups.push_back({context.keys(run, contest.dataset, contest.model, metric),
                          std::move(contest.entrants)});
      }
    }

  std::vector<PageColumn> columns = {PageColumn("rank", "place"), kMethodColumn, "seeds",
                                     PageColumn("mean ± 95 %", "mean")};
  for (const auto& control : controls) columns.emplace_back(control.c_str());
  columns.emplace_back("notes");
  PageTable table("board-table", "Mean over seeds, half the width of its 95 % t interval", columns);
  for (const Group& group : groups) {
    table.group(group.keys);
    std::int64_t place = 0;
    for (const Entrant& entrant : group.entrants) add_row(table, entrant, ++place, controls);
  }

  Section section{"board", "Who explains best?", ""};
  if (table.empty()) return section;
  section.html =
      sentences.html() +
      "<p>A point is the mean over seeds, its line the 95 % t interval. Beside it, where the run "
      "has them, stand the method's randomised twins: a score that is no better than its own "
      "twin's is no evidence for the method. What lacks seeds never ranks before what has "
      "all.</p>\n";
  std::vector<std::string> names;
  for (const auto& metric : context.metrics) names.push_back(metric.name);
  for (const Doubtful& doubtful : doubtful_metrics(context.store, names))
    section.html += "<p class=doubt data-metric=\"" + html_text(doubtful.metric) +
                    "\"><strong>Take care:</strong> " + html_text(doubtful.metric) +
                    " does not tell better from worse on its sanity ladders.</p>\n";
  section.html += figure_html("board", "board-table") + table.html();
  return section;
}

}  // namespace conoscope::results
