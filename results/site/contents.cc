// SPDX-License-Identifier: Apache-2.0
#include "results/site/contents.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <tuple>

#include "results/analysis/verdict.h"
#include "results/report/group_text.h"
#include "results/report/headline.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

/// The first paragraph of the comment that a run file begins with, up to the commands that it names.
std::string about_of(const std::string& file_text) {
  std::string out;
  std::istringstream lines(file_text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) break;
    const auto begin = line.find_first_not_of("# ");
    if (begin == line.npos) break;
    out += (out.empty() ? "" : " ") + line.substr(begin);
  }
  return out.substr(0, out.find(" Then:"));
}

/// The newest run of each name.
std::vector<RunRow> newest_runs(Store& store) {
  auto runs = store.runs();
  if (runs.empty())
    throw StoreError(StoreProblem::not_found, store.path().string() + " holds no run yet");
  std::map<std::string, RunRow> by_name;
  for (RunRow& run : runs) by_name[run.name] = std::move(run);
  std::vector<RunRow> out;
  for (auto& [name, run] : by_name) out.push_back(std::move(run));
  return out;
}

/// A question as a sentence.
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// Contests that the board does not rank come last.
void sort_contests(Table& board) {
  const auto names = {"rank", "dataset", "model", "explainer"};
  if (std::ranges::any_of(names, [&board](const char* name) {
        return std::ranges::find(board.columns, name, &Column::name) == board.columns.end();
      }))
    return;  // no board of contests
  const auto contests = contests_of(board);
  const std::size_t rank = board.column("rank");
  std::set<std::pair<std::string, std::string>> ranked;
  for (std::size_t i = 0; i < board.rows.size(); ++i)
    if (!std::holds_alternative<std::monostate>(board.rows[i][rank])) ranked.insert(contests[i]);
  std::vector<std::vector<Field>> sorted;
  for (const bool wanted : {true, false})
    for (std::size_t i = 0; i < board.rows.size(); ++i)
      if (ranked.contains(contests[i]) == wanted) sorted.push_back(std::move(board.rows[i]));
  board.rows = std::move(sorted);
}

auto place_of(const SiteOptions& options, const std::string& metric) {
  return std::ranges::find(options.report.metric_order, metric) -
         options.report.metric_order.begin();
}

std::vector<std::string> shown_metrics(Store& store, const SiteOptions& options,
                                       const std::string& run) {
  auto out = store.run_metrics(run);
  std::erase_if(out, [&options](const std::string& name) {
    return std::ranges::find(options.report.summaries, name.substr(0, name.find('(')),
                             &SummaryShape::name) != options.report.summaries.end();
  });
  std::ranges::stable_sort(out, {},
                           [&options](const std::string& name) { return place_of(options, name); });
  return out;
}

void read_metrics(SiteContents& contents) {
  Statement query(contents.store.connection(),
                  "SELECT grp, direction, unit, question, citation FROM metric_key WHERE metric = "
                  "?");
  SiteNames names;
  for (const SiteStudy& study : contents.studies)
    for (const std::string& metric : study.metrics) {
      if (contents.metrics.contains(metric) || !query.bind_all(metric).step()) continue;
      contents.metrics[metric] = {
          "", query.text(0), query.text(1), query.text(2), query.text(3), query.text(4), "", {}};
    }
  for (auto& [name, metric] : contents.metrics) {
    metric.page = "metric/" + names.of(name) + ".html";
    contents.metric_pages[name] = metric.page;
  }
}

std::map<std::string, SiteMethod> plugins_of_components(Store& store) {
  std::map<std::string, SiteMethod> out;
  Statement query(store.connection(), "SELECT key, kind, plugin_id FROM component");
  while (query.step()) out[query.text(0)] = {query.text(1), query.text(2)};
  return out;
}

void read_scores(SiteContents& contents) {
  const auto plugins = plugins_of_components(contents.store);
  for (std::size_t s = 0; s < contents.studies.size(); ++s)
    for (const std::string& metric : contents.studies[s].metrics) {
      const std::string& run = contents.studies[s].run.key;
      const std::string& direction = contents.metrics.at(metric).direction;
      const auto found = contests(contents.store, run, metric, direction);
      const auto standing = standings(contents.store, run, metric, direction, found);
      for (const Contest& contest : found)
        for (Entrant entrant : contest.entrants) {
          const auto& [dataset, model, explainer] = entrant.score.subject;
          if (const auto own = standing.find(entrant.score.subject); own != standing.end())
            entrant.score.estimate.marks = marks_of(own->second);
          contents.scores.push_back({s,
                                     metric,
                                     plugins.at(explainer.empty() ? model : explainer),
                                     {contest.dataset, contest.model, contest.paired, {}},
                                     contest.entrants.size(),
                                     std::move(entrant)});
        }
    }
}

void name_methods(SiteContents& contents) {
  std::map<std::string, SiteNames> names;
  for (const SiteScore& score : contents.scores) contents.methods[score.method];
  for (auto& [method, page] : contents.methods)
    page = method.first + "/" + names[method.first].of(method.second) + ".html";
  for (const SiteScore& score : contents.scores) {
    const std::string& page = contents.methods.at(score.method);
    SiteLinks& links = contents.studies[score.study].links;
    const bool explains = score.method.first == "explainer";
    // What a board calls a model that stands alone on its dataset is its own name.
    for (const char* column : {"method", "explainer", "model"})
      if (column != std::string("model") || !explains) links[{column, score.entrant.method}] = page;
    if (!explains) links[{"model", score.entrant.score.model}] = page;
  }
}

/// What audits and ladders have against each metric.
void judge_metrics(SiteContents& contents) {
  const auto with_ladder = ladder_runs(contents.store);
  for (auto& [name, metric] : contents.metrics) {
    std::tie(metric.ladder_run, metric.ladders) =
        whole_ladders(contents.store, with_ladder, with_ladder, name);
    for (const Doubtful& one : doubtful_metrics(contents.store, {name}))
      metric.fails.push_back("does not tell better from worse on the sanity ladders of " +
                             contents.study_of(one.run));
  }
  for (SiteStudy& study : contents.studies) {
    std::vector<std::string> judged;
    for (const std::string& name : study.metrics)
      if (const SiteMetric& metric = contents.metrics.at(name);
          can_be_judged(metric.direction, metric.unit))
        judged.push_back(name);
    if (judged.empty()) continue;
    study.audits = audits(contents.store, {.run = study.run.key, .metrics = judged},
                          {.seeds = 0, .by_seed = true});
    for (const Audit& audit : study.audits)
      for (const std::string& why : audit.fails) {
        const std::string text = why + ", " + study.run.name + ": " + audit.dataset +
                                 (audit.model.empty() ? "" : ", " + audit.model);
        contents.metrics.at(audit.metric).fails.push_back(text);
      }
  }
}

}  // namespace

std::string SiteContents::study_of(const std::string& run) const {
  for (const SiteStudy& study : studies)
    if (study.run.key == run) return study.run.name;
  return run.substr(0, 8);
}

SiteContents site_contents(Store& store, const SiteOptions& options) {
  SiteContents out{store, options, {}, {}, {}, {}, {}};
  SiteNames names;
  for (RunRow& run : newest_runs(store)) {
    const std::string name = names.of(run.name);
    SiteStudy study{run,
                    "study/" + name + ".html",
                    "report/" + name + ".html",
                    "",
                    about_of(run.file_text),
                    shown_metrics(store, options, run.key),
                    options.board(run),
                    {}};
    sort_contests(study.board.table);
    out.studies.push_back(std::move(study));
  }
  std::ranges::stable_sort(out.studies, {}, [&options](const SiteStudy& study) {
    return place_of(options, study.board.metric);
  });
  read_metrics(out);
  for (SiteStudy& study : out.studies)
    if (const auto leads = out.metrics.find(study.board.metric); leads != out.metrics.end()) {
      study.question = sentence(group_text(leads->second.group).question);
      if (study.question.empty()) study.question = leads->second.question;
    }
  read_scores(out);
  name_methods(out);
  judge_metrics(out);
  return out;
}

SiteTable score_table(const SiteContents& contents, std::vector<const SiteScore*> scores,
                      bool names_metric) {
  std::stable_partition(scores.begin(), scores.end(),
                        [](const SiteScore* score) { return score->entrant.score.n > 0; });
  std::set<std::string> controls;
  for (const SiteScore* score : scores)
    for (const BoardEntry& twin : score->entrant.twins) controls.insert(twin.control);
  SiteTable out{
      "scores", "Means over seeds ± half of the 95 % interval, and the randomised twins'", {}};
  out.table.columns = {Column::text("study"), Column::text("dataset"), Column::text("model"),
                       Column::text("method")};
  if (names_metric)
    for (const char* name : {"metric", "better"}) out.table.columns.push_back(Column::text(name));
  out.table.columns.insert(out.table.columns.end(),
                           {Column::integer("rank"), Column::integer("of"),
                            Column::coverage("coverage"), Column::estimate("score")});
  out.table.columns.back().messages = true;
  const bool has_origins = std::ranges::any_of(
      scores, [](const SiteScore* score) { return !score->entrant.score.origin.empty(); });
  if (has_origins) out.table.columns.push_back(Column::text(kOriginColumn));
  for (const std::string& control : controls)
    out.table.columns.push_back(Column::estimate("score@" + control));
  for (const SiteScore* score : scores) {
    const SiteStudy& study = contents.studies[score->study];
    const Entrant& entrant = score->entrant;
    std::vector<Field> row = {study.run.name, score->of.dataset, score->of.model, entrant.method};
    if (names_metric) {
      row.emplace_back(score->metric);
      row.emplace_back(contents.metrics.at(score->metric).direction);
    }
    row.emplace_back(entrant.score.rank ? Field(*entrant.score.rank) : Field());
    row.emplace_back(static_cast<std::int64_t>(score->competitors));
    row.emplace_back(Coverage{entrant.score.n, entrant.score.asked});
    row.emplace_back(entrant.score.estimate);
    if (has_origins)
      row.push_back(entrant.score.origin.empty() ? Field() : Field(entrant.score.origin));
    for (const std::string& control : controls) {
      const auto twin = std::ranges::find(entrant.twins, control, &BoardEntry::control);
      row.push_back(twin == entrant.twins.end() ? Field() : Field(twin->estimate));
    }
    out.table.add(std::move(row));
    out.links[{"study", study.run.name}] = study.page;
    out.row_links[{out.table.rows.size() - 1, "method"}] = contents.methods.at(score->method);
    if (names_metric)
      out.links[{"metric", score->metric}] = contents.metrics.at(score->metric).page;
  }
  return out;
}

SiteTable ladder_table(const SiteContents& contents, const std::vector<std::string>& metrics) {
  SiteTable out{"ladders",
                "Means on the steps of the sanity ladders, which a metric must put in order",
                {{Column::text("metric"), Column::text("dataset"), Column::text("subject"),
                  Column::text("better"), Column::real("perfect"), Column::real("half random"),
                  Column::real("random"), Column::text("verdict"), Column::text("study")},
                 {}}};
  for (const std::string& name : metrics) {
    const SiteMetric& metric = contents.metrics.at(name);
    out.links[{"metric", name}] = metric.page;
    for (const SiteStudy& study : contents.studies)
      if (study.run.key == metric.ladder_run) out.links[{"study", study.run.name}] = study.page;
    for (const Ladder& ladder : metric.ladders) {
      std::vector<Field> row = {name, ladder.dataset,
                                (ladder.of_models ? "" : "explanations of ") + ladder.subject,
                                ladder.direction};
      for (const Ladder::Step& step : ladder.steps) row.push_back(field_of(mean_of(step)));
      const std::string said = verdict(ladder);
      row.push_back(said.empty() ? Field() : Field(said));
      row.emplace_back(contents.study_of(metric.ladder_run));
      out.table.add(std::move(row));
    }
  }
  return out;
}

std::vector<SiteTable> site_audit_tables(const SiteContents& contents, const std::string& metric,
                                         const SiteStudy* only) {
  std::vector<SiteTable> out;
  for (const SiteStudy& study : contents.studies) {
    if (only != nullptr && only != &study) continue;
    std::vector<Audit> own;
    std::ranges::copy_if(study.audits, std::back_inserter(own), [&metric](const Audit& audit) {
      return metric.empty() || audit.metric == metric;
    });
    if (own.empty()) continue;
    for (auto& [title, table] : audit_tables(own)) {
      auto known = std::ranges::find(out, std::string(title), &SiteTable::caption);
      if (known == out.end()) {
        SiteTable made{"audit-" + std::to_string(out.size() + 1), title, {table.columns, {}}};
        made.table.columns.insert(made.table.columns.begin(), Column::text("study"));
        for (const auto& [name, page] : contents.metric_pages) made.links[{"metric", name}] = page;
        out.push_back(std::move(made));
        known = std::prev(out.end());
      }
      known->links[{"study", study.run.name}] = study.page;
      for (auto& row : table.rows) {
        row.insert(row.begin(), Field(study.run.name));
        known->table.add(std::move(row));
      }
    }
  }
  return out;
}

}  // namespace conoscope::results
