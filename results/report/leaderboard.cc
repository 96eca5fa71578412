// SPDX-License-Identifier: Apache-2.0
#include <boost/algorithm/string/join.hpp>
#include <map>
#include <memory>
#include <set>

#include "results/analysis/audit.h"
#include "results/analysis/verdict.h"
#include "results/formats/human_text.h"
#include "results/formats/merged_notes.h"
#include "results/report/headline.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

JsonObject mark(const std::string& kind, const BoardEntry& entry, const SeedScores& seeds) {
  JsonObject out;
  out.add("kind", kind);
  if (entry.estimate.n == 0) return out;
  std::vector<double> values;
  if (const auto found = seeds.find({entry.subject, entry.control}); found != seeds.end())
    for (const auto& [seed, value] : found->second) values.push_back(value);
  return out.add(entry.estimate).add("seeds", values);
}

void add_row(PageTable& table, const Entrant& entrant, std::int64_t place, bool has_origins,
             const std::set<std::string>& controls, const SeedScores& seeds) {
  const Estimate& estimate = entrant.score.estimate;
  std::vector<std::string> notes = MergedNotes(estimate.messages).texts();
  if (!entrant.missing.empty()) notes.push_back(entrant.missing);
  std::vector<PageCell> cells = {
      entrant.score.rank ? std::to_string(*entrant.score.rank) : "-", entrant.method,
      human_text(Coverage{entrant.score.n, entrant.score.asked}), human_text(estimate)};
  if (has_origins) cells.emplace_back(entrant.score.origin.empty() ? "-" : entrant.score.origin);
  std::vector<JsonObject> marks = {mark("method", entrant.score, seeds)};
  if (estimate.n == 0) marks[0].add("why", "no number: " + entrant.missing);
  for (const auto& control : controls) {
    cells.emplace_back("-");
    for (const BoardEntry& twin : entrant.twins) {
      if (twin.control != control) continue;
      cells.back().text = human_text(twin.estimate);
      if (twin.n > 0) marks.push_back(mark("its twin: " + control, twin, seeds));
    }
  }
  cells.push_back(boost::algorithm::join(notes, "; "));
  JsonObject row;
  row.add("method", entrant.method).add("place", place);
  if (estimate.n > 0) row.add("mean", estimate.mean);
  table.add(cells, row.add("marks", marks));
}

/// Where a contest stands on the page, without its metric.
using Place = std::pair<GroupKeys, std::vector<std::pair<std::string, Contest>>>;  // by metric

/// Methods x metrics of one place: the means, coloured by which end is the better one.
class StandingTable {
 public:
  StandingTable(const ReportContext& context, std::string id, const Place& place,
                const std::vector<std::string>& doubtful)
      : table_(std::move(id), "Means over seeds with their marks", columns_of(place, doubtful)) {
    std::map<std::string, std::map<std::size_t, Estimate>> rows;  // by method and metric
    for (std::size_t m = 0; m < place.second.size(); ++m)
      for (const Entrant& entrant : place.second[m].second.entrants) {
        if (std::ranges::find(methods_, entrant.method) == methods_.end())
          methods_.push_back(entrant.method);
        rows[entrant.method][m] = entrant.score.estimate;
      }
    table_.group(place.first);
    for (const std::string& method : methods_) {
      std::vector<PageCell> cells = {method};
      for (std::size_t m = 0; m < place.second.size(); ++m)
        cells.push_back(cell(rows, method, m, context.metric(place.second[m].first).direction));
      table_.add(cells, JsonObject().add("method", method));
    }
  }

  std::string html() const { return table_.html(); }

 private:
  static std::vector<PageColumn> columns_of(const Place& place,
                                            const std::vector<std::string>& doubtful) {
    std::vector<PageColumn> out = {kMethodColumn};
    for (const auto& [metric, contest] : place.second) {
      const bool in_doubt = std::ranges::find(doubtful, metric) != doubtful.end();
      out.emplace_back((metric + (in_doubt ? " (!)" : "")).c_str());
    }
    return out;
  }

  static PageCell cell(const std::map<std::string, std::map<std::size_t, Estimate>>& rows,
                       const std::string& method, std::size_t metric,
                       const std::string& direction) {
    const auto& own = rows.at(method);
    const auto found = own.find(metric);
    if (found == own.end() || found->second.n == 0) return "-";
    PageCell out(human_text(found->second));
    double low = found->second.mean, high = low;
    for (const auto& [name, numbers] : rows)
      if (const auto other = numbers.find(metric); other != numbers.end() && other->second.n > 0) {
        low = std::min(low, other->second.mean);
        high = std::max(high, other->second.mean);
      }
    if (low == high) return out;
    const double share = (found->second.mean - low) / (high - low);
    out.goodness = direction == "higher" ? share : 1.0 - share;
    return out;
  }

  std::vector<std::string> methods_;
  PageTable table_;
};

/// What the audits of the runs that are read with them have against metrics, which join those that are marked.
std::vector<std::string> failures_of(const ReportContext& context,
                                     std::vector<std::string>& marked) {
  std::vector<std::string> out;
  std::set<std::pair<std::string, std::string>> said;
  for (const ReportedRun& run : context.runs) {
    if (!is_audited(context.store, run.key)) continue;
    for (const Audit& audit : audits(context.store, {.run = run.key, .metrics = run.metrics}))
      for (const std::string& why : audit.fails) {
        if (!said.insert({audit.metric, why}).second) continue;
        out.push_back("<p class=doubt data-metric=\"" + html_text(audit.metric) +
                      "\"><strong>Take care:</strong> " + html_text(audit.metric + " " + why) +
                      " (<code>conoscope audit</code>).</p>\n");
        if (std::ranges::find(marked, audit.metric) == marked.end()) marked.push_back(audit.metric);
      }
  }
  return out;
}

}  // namespace

Section leaderboard_section(const ReportContext& context) {
  struct Group {
    GroupKeys keys;
    std::vector<Entrant> entrants;
    std::shared_ptr<const SeedScores> seeds;
  };
  std::vector<Group> groups;
  std::set<std::string> controls;
  PageTable sentences("headline-table", "What the scores say", {"in a sentence"});
  std::vector<Place> places;
  for (const ReportedRun& run : context.runs)
    for (const std::string& metric : run.metrics) {
      std::vector<Contest> found = context.contests(run, metric);
      const std::string& direction = context.metric(metric).direction;
      const auto seeds =
          std::make_shared<const SeedScores>(seed_scores(context.store, run.key, metric));
      const auto standing = standings(context.store, run.key, metric, direction, found);
      for (const Headline& headline :
           headlines(context.store, run.key, metric, direction, found, standing)) {
        sentences.group(context.keys(run, headline.dataset, headline.model, metric));
        sentences.add({headline.text});
      }
      for (Contest& contest : found) {
        for (Entrant& entrant : contest.entrants) {
          if (const auto own = standing.find(entrant.score.subject); own != standing.end())
            entrant.score.estimate.marks = marks_of(own->second);
          for (const BoardEntry& twin : entrant.twins) controls.insert(twin.control);
        }
        const auto has_number = [](const Entrant& one) { return one.score.n > 0; };
        if (direction != "none" && std::ranges::any_of(contest.entrants, has_number)) {
          const GroupKeys keys = context.keys(run, contest.dataset, contest.model, "");
          auto place = std::ranges::find(places, keys, &Place::first);
          if (place == places.end()) place = places.insert(places.end(), {keys, {}});
          place->second.emplace_back(metric, contest);
        }
        groups.push_back({context.keys(run, contest.dataset, contest.model, metric),
                          std::move(contest.entrants), seeds});
      }
    }

  const bool has_origins = !context.store.origins().empty();
  std::vector<PageColumn> columns = {PageColumn("rank", "place"), kMethodColumn, "seeds",
                                     PageColumn("mean ± 95 %", "mean")};
  if (has_origins) columns.emplace_back(kOriginColumn);
  for (const auto& control : controls) columns.emplace_back(control.c_str());
  columns.emplace_back("notes");
  PageTable table("board-table", "Mean over seeds, half the width of its 95 % t interval", columns);
  for (const Group& group : groups) {
    table.group(group.keys);
    std::int64_t place = 0;
    for (const Entrant& entrant : group.entrants)
      add_row(table, entrant, ++place, has_origins, controls, *group.seeds);
  }

  Section section{"board", "Who explains best?", ""};
  if (table.empty()) return section;
  std::vector<std::string> names, doubtful;
  for (const auto& metric : context.metrics) names.push_back(metric.name);
  for (const Doubtful& one : doubtful_metrics(context.store, names)) doubtful.push_back(one.metric);
  std::vector<std::string> marked = doubtful;
  const std::vector<std::string> failing = failures_of(context, marked);
  section.html = sentences.html();
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].second.size() > 1)
      section.html +=
          StandingTable(context, "standing-table-" + std::to_string(i), places[i], marked).html();
  section.html += "<p class=legend>The bluer, the better of its column. " + marks_legend() +
                  (marked.empty() ? std::string() : "; (!) take care of this metric, see below") +
                  ".</p>\n";
  section.html +=
      "<p>A point is the mean over seeds, its line the 95 % t interval. Beside it, where the run "
      "has them, stand the method's randomised twins: a score that is no better than its own "
      "twin's is no evidence for the method. What lacks seeds never ranks before what has "
      "all.</p>\n";
  for (const std::string& metric : doubtful)
    section.html += "<p class=doubt data-metric=\"" + html_text(metric) +
                    "\"><strong>Take care:</strong> " + html_text(metric) +
                    " does not tell better from worse on its sanity ladders.</p>\n";
  for (const std::string& text : failing) section.html += text;
  section.html += figure_html("board", "board-table") + table.html();
  if (context.metrics.size() > 1)
    section.html +=
        "<div class=part><h3>Two metrics at once</h3>\n"
        "<p class=choice><label for=against>Across</label> <select id=against "
        "data-key=against></select></p>\n" +
        figure_html("pareto", "board-table", "pareto") + "</div>\n";
  return section;
}

}  // namespace conoscope::results
