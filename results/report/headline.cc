// SPDX-License-Identifier: Apache-2.0
#include "results/report/headline.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "results/analysis/comparison.h"
#include "results/analysis/ladder.h"
#include "results/boards/run_metrics.h"
#include "results/formats/human_text.h"
#include "results/formats/named_parameters.h"

namespace conoscope::results {

namespace {

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

  /// Marks which of them cannot be told apart from the best, the first.
  void separate(const std::vector<const Entrant*>& methods, bool paired,
                std::map<BoardSubject, Standing>& out) {
    std::vector<ComparedNumber> a, b;
    for (std::size_t i = 1; i < methods.size(); ++i) {
      append(a, std::to_string(i), methods[i]->score.subject, "none");
      append(b, std::to_string(i), methods[0]->score.subject, "none");
    }
    for (const auto& row : compared(a, b, paired))
      out[methods[std::stoul(row.row)]->score.subject].inseparable = !row.different;
  }

  /// Marks which of them beat their twins.
  void compare_with_twins(const std::vector<const Entrant*>& methods,
                          std::map<BoardSubject, Standing>& out) {
    std::vector<ComparedNumber> a, b;
    std::vector<std::pair<const Entrant*, std::string>> rows;
    for (const Entrant* method : methods)
      for (const BoardEntry& twin : method->twins) {
        const std::string row = std::to_string(rows.size());
        rows.emplace_back(method, twin.control);
        append(a, row, method->score.subject, "none");
        append(b, row, method->score.subject, twin.control);
      }
    std::map<const Entrant*, std::size_t> beaten;
    for (const auto& row : compared(a, b, true)) {
      const auto& [method, control] = rows[std::stoul(row.row)];
      if (row.different && (row.difference > 0) == (direction_ == "higher"))
        ++beaten[method];
      else
        out[method->score.subject].unbeaten.push_back(control);
    }
    for (const auto& [method, count] : beaten)
      out[method->score.subject].beats_twins = count == method->twins.size();
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

std::vector<const Entrant*> methods_of(const Contest& contest) {
  std::vector<const Entrant*> out;
  if (contest.dataset != kEveryDataset)
    for (const Entrant& entrant : contest.entrants)
      if (is_method(entrant)) out.push_back(&entrant);
  return out;
}

}  // namespace

std::string marks_of(const Standing& standing) {
  return std::string(standing.inseparable ? "≈" : "") + (standing.beats_twins ? "✓" : "");
}

std::string marks_legend() {
  return "≈ cannot be told apart from the best; ✓ beats its randomised twins";
}

std::map<BoardSubject, Standing> standings(Store& store, const std::string& run,
                                           const std::string& metric, const std::string& direction,
                                           const std::vector<Contest>& among) {
  std::map<BoardSubject, Standing> out;
  if (direction != "higher" && direction != "lower") return out;
  Judge judge(store, run, metric, direction);
  for (const Contest& contest : among) {
    const auto methods = methods_of(contest);
    for (const Entrant* method : methods) out[method->score.subject].best = method == methods[0];
    if (methods.empty() || !judge.has_pairs(*methods[0])) continue;
    judge.separate(methods, contest.paired, out);
    judge.compare_with_twins(methods, out);
  }
  return out;
}

std::vector<Headline> headlines(Store& store, const std::string& run, const std::string& metric,
                                const std::string& direction, const std::vector<Contest>& among,
                                const std::map<BoardSubject, Standing>& found) {
  std::vector<Headline> out;
  if (direction != "higher" && direction != "lower") return out;
  Judge judge(store, run, metric, direction);
  for (const Contest& contest : among) {
    const auto methods = methods_of(contest);
    if (methods.empty()) continue;
    std::vector<std::string> names;
    for (const Entrant* method : methods) names.push_back(method->method);
    take_shared_parameters(names);
    const Entrant& best = *methods[0];
    std::string text =
        "On " + contest.dataset +
        (contest.model.empty() || contest.model == kEveryModel ? "" : " (" + contest.model + ")") +
        ", " + names[0] + " ";
    text += methods.size() == 1 ? "has " + metric + " "
                                : "is the best of " + std::to_string(methods.size()) +
                                      " methods by " + metric + " (";
    text += human_text(best.score.estimate) + (methods.size() == 1 ? "" : ")");
    if (!judge.has_pairs(best)) {
      out.push_back(
          {contest.dataset, contest.model, text + "; one seed says nothing of differences."});
      continue;
    }
    std::vector<std::string> equals;
    std::string beaten_by;
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const Standing& standing = found.at(methods[i]->score.subject);
      if (standing.inseparable) equals.push_back(names[i]);
      if (!standing.unbeaten.empty())
        beaten_by += " " + names[i] + " does not beat its twin" +
                     (standing.unbeaten.size() > 1 ? "s " : " ") + listed(standing.unbeaten) + ".";
    }
    if (!equals.empty())
      text += " and cannot be told apart from " + listed(equals);
    else if (methods.size() > 1)
      text += ", ahead of all others";
    text += "." + beaten_by;
    const bool has_twins =
        std::ranges::any_of(methods, [](const Entrant* one) { return !one->twins.empty(); });
    if (has_twins && beaten_by.empty()) text += " Each beats its randomised twins.";
    out.push_back({contest.dataset, contest.model, text});
  }
  return out;
}

}  // namespace conoscope::results
