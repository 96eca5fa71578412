// SPDX-License-Identifier: Apache-2.0
#include "results/report/contest.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "results/boards/scores.h"
#include "results/store/names.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

using Control = std::pair<BoardSubject, std::string>;

std::map<Control, std::string> missing_texts(Store& store, const std::string& run,
                                             const std::string& metric) {
  Statement& query = store.connection().kept(query_text("missing"));
  query.bind_filter("metric", metric).bind_filter("run", run);
  std::map<Control, std::string> out;
  while (query.step()) {
    const std::string message = query.text(5);
    std::string& text = out[{{query.text(0), query.text(1), query.text(2)}, query.text(3)}];
    text += (text.empty() ? "" : "; ") + query.text(4);
    if (!message.empty()) text += ": " + message.substr(0, message.find('\n'));
    text += " (" + query.text(6) + (query.integer(6) == 1 ? " seed)" : " seeds)");
  }
  query.reset();
  return out;
}

/// The rules of board.sql, over datasets, which it keeps apart.
void rank_models(std::vector<Entrant>& entrants, const std::string& direction) {
  const auto order = [&direction](const Entrant& e) {
    return std::tuple(e.score.n == 0, e.score.origin == kSelfReported, e.score.n < e.score.asked,
                      direction == "higher" ? -e.score.estimate.mean : e.score.estimate.mean);
  };
  for (Entrant& entrant : entrants) {
    entrant.score.rank.reset();
    if (entrant.score.n == 0 || direction == "none") continue;
    entrant.score.rank = 1 + std::ranges::count_if(entrants, [&](const Entrant& other) {
                           return order(other) < order(entrant);
                         });
  }
}

void sort_by_rank(std::vector<Entrant>& entrants) {
  std::ranges::stable_sort(entrants, {}, [](const Entrant& e) {
    return std::tuple(!e.score.rank, e.score.rank.value_or(0), e.method);
  });
}

}  // namespace

std::vector<Contest> contests(Store& store, const std::string& run, const std::string& metric,
                              const std::string& direction) {
  const auto entries = board_entries(store, {.run = run, .metrics = {metric}}, metric, "");
  const auto missing = missing_texts(store, run, metric);
  Names datasets(store), models(store), explainers(store);
  for (const BoardEntry& entry : entries) {
    datasets.note(std::get<0>(entry.subject), entry.dataset);
    models.note(std::get<1>(entry.subject), entry.model);
    explainers.note(std::get<2>(entry.subject), entry.explainer);
  }
  std::map<BoardSubject, Entrant> found;
  for (const BoardEntry& entry : entries) {
    Entrant& entrant = found[entry.subject];
    if (entry.control == "none")
      entrant.score = entry;
    else
      entrant.twins.push_back(entry);
  }
  std::map<std::pair<std::string, std::string>, Contest> out;
  for (auto& [subject, entrant] : found) {
    if (entrant.score.control.empty()) continue;  // a control without what it controls
    const auto& [dataset_key, model_key, explainer_key] = subject;
    const bool of_model = explainer_key.empty();
    const std::string dataset = text_of(datasets.of(dataset_key, entrant.score.dataset));
    const std::string model = text_of(models.of(model_key, entrant.score.model));
    entrant.method =
        of_model ? model : text_of(explainers.of(explainer_key, entrant.score.explainer));
    if (const auto why = missing.find({subject, "none"}); why != missing.end())
      entrant.missing = why->second;
    const std::string place = of_model ? kEveryModel : model;
    Contest& contest = out[{dataset, place}];
    contest.dataset = dataset;
    contest.model = place;
    contest.entrants.push_back(std::move(entrant));
  }

  std::vector<Contest> contests;
  Contest alone{kEveryDataset, kEveryModel, false, {}};
  const auto is_alone = [](const auto& item) {
    return item.second.model == kEveryModel && item.second.entrants.size() == 1;
  };
  const bool join =
      std::ranges::count_if(out, is_alone) > 1 && std::ranges::all_of(out, [&](const auto& item) {
        return item.second.model != kEveryModel || is_alone(item);
      });
  for (auto& item : out) {
    if (join && is_alone(item)) {
      item.second.entrants[0].method = item.second.dataset;
      alone.entrants.push_back(std::move(item.second.entrants[0]));
    } else {
      contests.push_back(std::move(item.second));
    }
  }
  if (join) {
    rank_models(alone.entrants, direction);
    contests.push_back(std::move(alone));
  }
  for (Contest& contest : contests) sort_by_rank(contest.entrants);
  return contests;
}

SeedScores seed_scores(Store& store, const std::string& run, const std::string& metric) {
  SeedScores out;
  for (const auto& score : current_scores(store, {.run = run,
                                                 .dataset = {},
                                                 .model = {},
                                                 .explainer = {},
                                                 .metric = metric,
                                                 .control = ""}))
    out[{{score.dataset_key, score.model_key, score.explainer_key}, score.control}][score.seed] =
        score.value;
  return out;
}

}  // namespace conoscope::results
