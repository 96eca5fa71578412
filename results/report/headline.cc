#include "results/report/headline.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "results/analysis/comparison.h"
#include "results/analysis/ladder.h"
#include "results/boards/run_metrics.h"
#include "results/boards/scores.h"
#include "results/formats/human_text.h"
#include "results/formats/named_parameters.h"

namespace conoscope::results {

namespace {

/// By subject and control, then seed.
using Seeds = std::map<std::int64_t, double>;
using SeedScores = std::map<std::pair<BoardSubject, std::string>, Seeds>;

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

class Judge {
 public:
  Judge(Store& store, const std::string& run, const std::string& metric, std::string direction)
      : scores_(seed_scores(store, run, metric)),
        direction_(std::move(direction)),
        over_seeds_(is_over_seeds(store, metric)) {}

  bool has_pairs(const Entrant& entrant) const {
    const auto found = scores_.find({entrant.score.subject, "none"});
    return found != scores_.end() && found->second.size() > 1;
  }

  /// Which of them cannot be told apart from the best, the first.
  std::vector<std::string> inseparable(const std::vector<Entrant>& methods, bool paired) {
    std::vector<ComparedNumber> a, b;
    for (std::size_t i = 1; i < methods.size(); ++i) {
      append(a, methods[i].method, methods[i].score.subject, "none");
      append(b, methods[i].method, methods[0].score.subject, "none");
    }
    std::vector<std::string> out;
    for (const auto& row : compared(a, b, paired))
      if (!row.different) out.push_back(row.row);
    return out;
  }

  /// For each method that does not beat all its twins, those it does not beat.
  std::vector<std::pair<std::string, std::vector<std::string>>> beaten(
      const std::vector<Entrant>& methods) {
    std::vector<ComparedNumber> a, b;
    std::map<std::string, std::pair<std::string, std::string>> of_row;
    for (const Entrant& method : methods)
      for (const BoardEntry& twin : method.twins) {
        const std::string row = method.method + " " + twin.control;
        of_row[row] = {method.method, twin.control};
        append(a, row, method.score.subject, "none");
        append(b, row, method.score.subject, twin.control);
      }
    std::map<std::string, std::vector<std::string>> found;
    for (const auto& row : compared(a, b, true)) {
      const bool better = row.different && (row.difference > 0) == (direction_ == "higher");
      const auto& [method, control] = of_row.at(row.row);
      if (!better) found[method].push_back(control);
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> out;
    for (const Entrant& method : methods)
      if (const auto one = found.find(method.method); one != found.end()) out.push_back(*one);
    return out;
  }

 private:
  void append(std::vector<ComparedNumber>& to, const std::string& row, const BoardSubject& subject,
              const std::string& control) const {
    const auto found = scores_.find({subject, control});
    if (found == scores_.end()) return;
    for (const auto& [seed, value] : found->second)
      to.push_back({row, "seed " + std::to_string(seed), value, {}, {}, over_seeds_});
  }

  static std::vector<ComparisonRow> compared(const std::vector<ComparedNumber>& a,
                                             const std::vector<ComparedNumber>& b, bool paired) {
    ComparisonOptions options;
    options.paired = paired;
    options.plan = false;
    return compare(a, b, options).rows;
  }

  SeedScores scores_;
  std::string direction_;
  bool over_seeds_;
};

bool is_method(const Entrant& entrant) {
  return entrant.score.rank && entrant.missing.empty() &&
         std::ranges::find(kExplainerSteps, entrant.score.explainer) == kExplainerSteps.end();
}

}  // namespace

std::vector<Headline> headlines(Store& store, const std::string& run, const std::string& metric,
                                const std::string& direction, const std::vector<Contest>& among) {
  std::vector<Headline> out;
  if (direction != "higher" && direction != "lower") return out;
  Judge judge(store, run, metric, direction);
  for (const Contest& contest : among) {
    if (contest.dataset == kEveryDataset) continue;
    std::vector<Entrant> methods;
    std::ranges::copy_if(contest.entrants, std::back_inserter(methods), is_method);
    if (methods.empty()) continue;
    std::vector<std::string> names;
    for (const Entrant& method : methods) names.push_back(method.method);
    take_shared_parameters(names);
    for (std::size_t i = 0; i < names.size(); ++i) methods[i].method = names[i];
    const Entrant& best = methods[0];
    std::string text =
        "On " + contest.dataset +
        (contest.model.empty() || contest.model == kEveryModel ? "" : " (" + contest.model + ")") +
        ", " + best.method + " ";
    text += methods.size() == 1 ? "has " + metric + " "
                                : "is the best of " + std::to_string(methods.size()) +
                                      " methods by " + metric + " (";
    text += human_text(best.score.estimate) + (methods.size() == 1 ? "" : ")");
    if (!judge.has_pairs(best)) {
      out.push_back(
          {contest.dataset, contest.model, text + "; one seed says nothing of differences."});
      continue;
    }
    const auto equals = judge.inseparable(methods, contest.paired);
    if (!equals.empty())
      text += " and cannot be told apart from " + listed(equals);
    else if (methods.size() > 1)
      text += ", ahead of all others";
    text += ".";
    const bool has_twins =
        std::ranges::any_of(methods, [](const Entrant& one) { return !one.twins.empty(); });
    const auto beaten = judge.beaten(methods);
    for (const auto& [method, controls] : beaten)
      text += " " + method + " does not beat its twin" + (controls.size() > 1 ? "s " : " ") +
              listed(controls) + ".";
    if (has_twins && beaten.empty()) text += " Each beats its randomised twins.";
    out.push_back({contest.dataset, contest.model, text});
  }
  return out;
}

}  // namespace conoscope::results
