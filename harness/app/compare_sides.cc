// SPDX-License-Identifier: Apache-2.0
#include "harness/app/compare_sides.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <optional>
#include <set>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/store_options.h"
#include "harness/core/names.h"
#include "harness/core/path_fault.h"
#include "results/boards/component_words.h"
#include "results/store/names.h"

namespace conoscope::app {

namespace {

constexpr const char* kKinds[] = {"store", "run", "explainer", "model", "dataset", "metric"};

std::vector<std::string> names_of(results::Store& store, const std::string& kind) {
  if (kind == "metric") return results::metric_names(store);
  if (kind != "run") return results::component_names(store, "", kind);
  std::vector<std::string> names;
  for (const auto& run : store.runs()) names.push_back(run.name);
  return names;
}

bool is_component_kind(const std::string& kind) {
  return kind == "explainer" || kind == "model" || kind == "dataset";
}

/// What the run calls so; else what others do.
std::optional<std::string> find_component(results::Store& store, const std::string& run,
                                          const std::string& kind, const std::string& word) {
  const auto of_run = results::component_filter(store, run, kind, word);
  return of_run || run.empty() ? of_run : results::component_filter(store, "", kind, word);
}

/// A name must stand for one thing: scores of two are no pairs of anything. What bears the name
/// itself comes before what shares the plugin of that name.
void require_one(results::Store& store, const Side& side,
                 std::vector<results::CurrentScore>& scores) {
  const auto named = [&side](const results::CurrentScore& score) {
    return side.name == (side.kind == "explainer" ? score.explainer
                         : side.kind == "model"   ? score.model
                                                  : score.dataset);
  };
  if (std::any_of(scores.begin(), scores.end(), named))
    std::erase_if(scores, [&named](const auto& score) { return !named(score); });
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& score : scores)
    found.emplace(side.kind == "explainer" ? std::pair(score.explainer_key, score.explainer)
                  : side.kind == "model"   ? std::pair(score.model_key, score.model)
                                           : std::pair(score.dataset_key, score.dataset));
  if (found.size() < 2) return;
  results::Names names(store);
  for (const auto& [key, name] : found) names.note(key, name);
  std::string list;
  for (const auto& [key, name] : found)
    list += (list.empty() ? "" : ", ") + results::text_of(names.of(key, name));
  throw UsageError(side.kind + " " + side.name + " stands for " + std::to_string(found.size()) +
                   ": " + list + "; name one of these");
}

/// What a store of its own calls so; a word that it does not know fits nothing there.
std::string kept_in(results::Store& store, const std::string& kind, const Kept& kept) {
  std::vector<std::string> lines;
  if (const auto words = kept.find(kind); words != kept.end())
    for (const std::string& word : words->second)
      lines.push_back(results::component_filter(store, "", kind, word).value_or(word));
  return boost::algorithm::join(lines, "\n");
}

/// All that a word may stand for, one thing at least.
std::vector<Side> meanings_of(results::Store* store, const std::string& in_run,
                              const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon != word.npos)
    for (const char* kind : kKinds)
      if (word.substr(0, colon) == kind) return {{kind, word.substr(colon + 1)}};
  if (core::fault_of_file(word).empty()) return {{"store", word}};
  if (store == nullptr) throw UsageError(word + ": no such store file");
  std::vector<Side> out;
  std::vector<std::string> known;
  for (const char* kind : kKinds) {
    if (std::string(kind) == "store") continue;
    const auto names = names_of(*store, kind);
    if (is_component_kind(kind) ? find_component(*store, in_run, kind, word).has_value()
                                : core::contains(names, word))
      out.push_back({kind, word});
    known.insert(known.end(), names.begin(), names.end());
  }
  if (!out.empty()) return out;
  // The start of a run's key, as elsewhere.
  for (const auto& run : store->runs())
    if (!word.empty() && run.key.starts_with(word)) return {{"run", word}};
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw UsageError("there is no store file, run, explainer, model, dataset or metric " + word +
                   core::did_you_mean(word, known));
}

}  // namespace

bool names_a_store(const std::string& word) {
  return word.starts_with("store:") || core::fault_of_file(word).empty();
}

std::pair<Side, Side> sides_of(results::Store* store, const std::string& in_run,
                               const std::string& word_a, const std::string& word_b) {
  const auto a = meanings_of(store, in_run, word_a), b = meanings_of(store, in_run, word_b);
  std::vector<std::pair<Side, Side>> fitting;
  for (const Side& one : a)
    for (const Side& other : b)
      if (one.kind == other.kind || (one.whole() && other.whole()))
        fitting.emplace_back(one, other);
  if (fitting.size() > 1)
    std::erase_if(fitting, [](const auto& pair) { return pair.first.whole(); });
  if (fitting.size() == 1) return fitting.front();
  if (a.size() == 1 && b.size() == 1) return {a.front(), b.front()};
  const auto& open = a.size() > 1 ? a : b;
  std::string choice;
  for (const Side& side : open)
    choice += (choice.empty() ? "" : " or ") + side.kind + ":" + side.name;
  throw UsageError(open.front().name + " has several meanings; write " + choice);
}

std::vector<std::string> shared_by(const std::string& kind) {
  std::vector<std::string> out;
  for (const char* other : {"dataset", "model", "explainer"})
    if (kind != other) out.emplace_back(other);
  return out;
}

std::vector<results::CurrentScore> scores_of(const Options& options, const Side& side,
                                             results::Store* store, results::ScoreFilter filter,
                                             const Kept& kept) {
  if (side.kind == "store") {
    auto other = open_store(options, store_named(side.name));
    filter.run.clear();
    filter.dataset = kept_in(other, "dataset", kept);
    filter.model = kept_in(other, "model", kept);
    filter.explainer = kept_in(other, "explainer", kept);
    return results::current_scores(other, filter);
  }
  if (side.kind == "run") {
    filter.run = store->find_run(side.name);
    return results::current_scores(*store, filter);
  }
  const auto found = is_component_kind(side.kind)
                         ? find_component(*store, filter.run, side.kind, side.name)
                         : std::optional(side.name);
  const auto names = names_of(*store, side.kind);
  if (!found || (side.kind == "metric" && !core::contains(names, side.name)))
    throw UsageError("there is no " + side.kind + " " + side.name +
                     core::did_you_mean(side.name, names));
  if (side.kind == "explainer") filter.explainer = *found;
  if (side.kind == "model") filter.model = *found;
  if (side.kind == "dataset") filter.dataset = *found;
  if (side.kind == "metric") filter.metric = *found;
  auto scores = results::current_scores(*store, filter);
  if (side.kind != "metric") require_one(*store, side, scores);
  return scores;
}

}  // namespace conoscope::app
