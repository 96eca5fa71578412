// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/audit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "numerics/statistics/correlation.h"
#include "numerics/statistics/moments.h"
#include "numerics/to_vector.h"
#include "results/analysis/ladder.h"
#include "results/analysis/seed_agreement.h"
#include "results/analysis/snapshots.h"
#include "results/analysis/variance_shares.h"
#include "results/boards/estimate.h"
#include "results/boards/run_metrics.h"
#include "results/boards/scores.h"
#include "results/formats/numbers.h"
#include "results/store/names.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

constexpr std::array<const char*, 7> kUnlearntTwins = {"untrained_dictionary",
                                                       "frozen_decoder",
                                                       "frozen_decoder_covariance",
                                                       "frozen_encoder",
                                                       "soft_frozen_decoder",
                                                       "permuted_decoder",
                                                       "random_l0"};
constexpr std::array<const char*, 2> kRandomTwins = {"random_concepts", "random_importance"};
/// Besides the steps of a ladder: what is told the truth.
constexpr const char* kTold = "true_dictionary";

/// No two of fewer entries need differ.
constexpr std::int64_t kFewest = 3;

bool is_among(std::span<const char* const> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_known(std::string_view name) { return name == kTold || is_among(kExplainerSteps, name); }

/// Keys of the explainers whose answer is known, whatever runs call them.
std::set<std::string> known_explainers(Store& store) {
  Statement query(store.connection(),
                  "SELECT key, plugin_id FROM component WHERE kind = 'explainer'");
  std::set<std::string> out;
  while (query.step())
    if (is_known(query.text(1))) out.insert(query.text(0));
  return out;
}

/// A method that is trained for so many epochs, by the rest of its parameters.
struct Snapshot {
  std::string method;
  double epochs = 0.0;
};

std::map<std::string, Snapshot> snapshots(Store& store) {
  Statement query(store.connection(),
                  "SELECT key, plugin_id, params FROM component WHERE kind = 'explainer'");
  std::map<std::string, Snapshot> out;
  while (query.step()) {
    constexpr std::string_view kName = ";epochs=";
    const std::string params = ";" + query.text(2) + ";";
    const std::size_t at = params.find(kName);
    if (at == params.npos) continue;
    const std::size_t value = at + kName.size(), end = params.find(';', value);
    Snapshot one{query.text(1) + params.substr(0, at) + params.substr(end)};
    const char* const last = params.data() + end;
    if (std::from_chars(params.data() + value, last, one.epochs).ptr == last)
      out[query.text(0)] = std::move(one);
  }
  return out;
}

/// The complete means of a truth; empty: nobody asks for it.
std::map<BoardSubject, double> truth_means(Store& store, const BoardOptions& options,
                                           const std::string& metric) {
  std::map<BoardSubject, double> out;
  if (options.run.empty() || !is_asked(store, options.run, metric)) return out;
  for (const BoardEntry& entry : board_entries(store, options, metric, "none"))
    if (entry.n > 0 && entry.n == entry.asked) out[entry.subject] = entry.estimate.mean;
  return out;
}

using Truths = std::vector<std::pair<std::string, std::map<BoardSubject, double>>>;

/// What a contest's entries scored; the twins by subject.
struct Contestants {
  std::vector<BoardEntry> entries;
  std::map<BoardSubject, std::vector<BoardEntry>> twins;
};

Scores scores_of_entry(const BoardEntry& entry, bool over_seeds) {
  const Scores out{entry.n, entry.estimate.mean, entry.sd.value_or(0.0)};
  return over_seeds ? as_independent(out) : out;
}

class Auditor {
 public:
  Auditor(const Truths& truths, const std::set<std::string>& known, bool over_seeds,
          std::int64_t seeds)
      : truths_(truths), known_(known), over_seeds_(over_seeds), seeds_(seeds) {}

  /// Everything but what single seeds say.
  void fill(Contestants contestants, Audit& out) const {
    out.asked = 0;
    for (const BoardEntry& entry : contestants.entries)
      out.asked = std::max(out.asked, entry.asked);
    for (BoardEntry& entry : contestants.entries) {
      AuditedEntry one;
      one.complete = entry.n > 0 && entry.n == entry.asked && entry.asked == out.asked;
      one.known = known_.contains(std::get<2>(entry.subject)) || is_known(entry.explainer);
      one.score = std::move(entry);
      out.entries.push_back(std::move(one));
    }
    out.seeds = seeds_ > 0 ? seeds_ : out.asked;
    take_noise(out);
    std::optional<double> here;
    if (out.noise.dof > 0 && out.noise.sd > 0.0) {
      here = reliable_difference(out.noise, out.asked);
      out.reliable = reliable_difference(out.noise, out.seeds);
      out.reliable_one = reliable_difference(out.noise, 1);
      out.detectable = detectable_difference(out.noise, out.seeds);
    }
    take_pairs(here, out);
    if (out.direction == "higher" || out.direction == "lower") {
      take_truth(out);
      take_gaps(here, contestants.twins, out);
    }
    judge(out);
  }

 private:
  void take_noise(Audit& out) const {
    std::vector<Scores> all, complete;
    std::vector<double> variations;
    for (const AuditedEntry& entry : out.entries) {
      const Scores scores = scores_of_entry(entry.score, over_seeds_);
      if (scores.n == 0) continue;
      all.push_back(scores);
      if (entry.complete) complete.push_back(scores);
      if (scores.n > 1 && scores.mean != 0.0)
        variations.push_back(coefficient_of_variation(scores));
    }
    out.noise = pooled_noise(all);
    out.complete = static_cast<std::int64_t>(complete.size());
    if (!variations.empty()) out.variation = numerics::mean(variations);
    if (complete.size() < 2 || pooled_noise(complete).dof == 0) return;
    const bool varied = std::ranges::any_of(complete, [&](const Scores& one) {
      return one.sd > 0.0 || one.mean != complete.front().mean;
    });
    if (varied) out.share_between = one_way_components(complete).share_between;
  }

  static void take_pairs(const std::optional<double>& reliable, Audit& out) {
    out.pairs = out.complete * (out.complete - 1) / 2;
    if (!reliable || out.complete < 2) return;
    std::vector<double> means;
    for (const AuditedEntry& entry : out.entries)
      if (entry.complete) means.push_back(entry.score.estimate.mean);
    out.told_apart = results::told_apart(means, *reliable);
    out.neighbours = neighbours_apart(means, *reliable);
  }

  void take_truth(Audit& out) const {
    const double better = out.direction == "higher" ? 1.0 : -1.0;
    for (const auto& [metric, means] : truths_) {
      if (metric == out.metric || means.empty()) continue;
      TruthAgreement one{metric, {}, 0, false};
      std::vector<double> x, y;
      for (const AuditedEntry& entry : out.entries) {
        const auto found = means.find(entry.score.subject);
        if (!entry.complete || entry.known || found == means.end()) continue;
        x.push_back(better * entry.score.estimate.mean);
        y.push_back(found->second);
      }
      one.entries = static_cast<std::int64_t>(x.size());
      const bool varied = x.size() >= 3 && std::ranges::min(x) < std::ranges::max(x) &&
                          std::ranges::min(y) < std::ranges::max(y);
      if (varied) {
        constexpr double kRounding = 1e-12;
        one.rho = numerics::spearman(numerics::to_vector(x), numerics::to_vector(y)).r;
        const auto critical = numerics::spearman_critical_value(one.entries);
        one.significant = critical && std::abs(*one.rho) >= *critical - kRounding;
      }
      out.truth.push_back(std::move(one));
    }
  }

  static void take_gaps(const std::optional<double>& reliable,
                        const std::map<BoardSubject, std::vector<BoardEntry>>& twins, Audit& out) {
    const double better = out.direction == "higher" ? 1.0 : -1.0;
    for (AuditedEntry& entry : out.entries) {
      const auto own = twins.find(entry.score.subject);
      if (!entry.complete || entry.known || own == twins.end()) continue;
      const auto take_best = [&](std::span<const char* const> controls) {
        for (const BoardEntry& twin : own->second) {
          if (!is_among(controls, twin.control) || twin.n != entry.score.n || twin.n != twin.asked)
            continue;
          const double mean = twin.estimate.mean;
          if (entry.twin_mean && better * mean <= better * *entry.twin_mean) continue;
          entry.twin_mean = mean;
          entry.twin = twin.control;
        }
      };
      take_best(kUnlearntTwins);
      if (!entry.twin_mean) take_best(kRandomTwins);
      if (!entry.twin_mean || !reliable) continue;
      entry.gap = better * (entry.score.estimate.mean - *entry.twin_mean) / *reliable;
      ++out.with_twins;
      if (*entry.gap >= 1.0) ++out.beyond;
      out.least_gap = std::min(out.least_gap.value_or(*entry.gap), *entry.gap);
      out.largest_gap = std::max(out.largest_gap.value_or(*entry.gap), *entry.gap);
    }
  }

  static void judge(Audit& out) {
    if (out.with_twins > 0 && out.beyond == 0) {
      std::set<std::string> twins;
      for (const AuditedEntry& entry : out.entries)
        if (entry.gap) twins.insert(entry.twin);
      std::string names;
      for (const std::string& twin : twins) names += (names.empty() ? "" : ", ") + twin;
      out.fails.push_back("shows no learning (" + names + ")");
    }
    const auto contradicts = [](const TruthAgreement& one) {
      return one.significant && *one.rho < 0.0;
    };
    if (std::ranges::any_of(out.truth, contradicts))
      out.fails.emplace_back("ranks against the truth");
    if (out.complete >= kFewest && out.told_apart && *out.told_apart == 0.0)
      out.fails.emplace_back("tells no entries apart");
  }

  const Truths& truths_;
  const std::set<std::string>& known_;
  bool over_seeds_;
  std::int64_t seeds_;
};

using ScoresBySeed = std::map<BoardSubject, std::vector<double>>;

/// Of those methods that have the most times in common.
void take_training(const std::map<std::string, Snapshot>& snapshots, const ScoresBySeed& by_seed,
                   Audit& out) {
  std::map<std::string, std::map<double, const std::vector<double>*>> methods;  // by epochs
  for (const AuditedEntry& entry : out.entries) {
    const auto snapshot = snapshots.find(std::get<2>(entry.score.subject));
    const auto scores = by_seed.find(entry.score.subject);
    if (entry.complete && snapshot != snapshots.end() && snapshot->second.epochs > 0.0 &&
        scores != by_seed.end() && static_cast<std::int64_t>(scores->second.size()) == out.asked)
      methods[snapshot->second.method][snapshot->second.epochs] = &scores->second;
  }
  constexpr std::size_t kFewestTimes = 4;  // of which a parabola leaves one degree of freedom
  std::map<std::vector<double>, std::vector<numerics::Matrix>> alike;  // seeds x times
  for (const auto& [method, by_epochs] : methods) {
    if (by_epochs.size() < kFewestTimes) continue;
    std::vector<double> times;
    numerics::Matrix scores(out.asked, static_cast<numerics::Index>(by_epochs.size()));
    for (const auto& [epochs, seeds] : by_epochs) {
      scores.col(static_cast<numerics::Index>(times.size())) = numerics::to_vector(*seeds);
      times.push_back(epochs);
    }
    alike[times].push_back(scores);
  }
  const auto most =
      std::ranges::max_element(alike, {}, [](const auto& one) { return one.second.size(); });
  if (most == alike.end() || most->second.size() < 2) return;
  const auto& [times, scores] = *most;
  numerics::Matrix means(static_cast<numerics::Index>(scores.size()), scores[0].cols());
  for (std::size_t v = 0; v < scores.size(); ++v)
    means.row(static_cast<numerics::Index>(v)) = scores[v].colwise().mean();
  out.trained = means.rows();
  const double better = out.direction == "lower" ? -1.0 : 1.0;
  for (const auto row : means.rowwise())
    if (better * training_slope(numerics::to_vector(times), numerics::Vector(row)) > 0.0) ++out.rising;
  if (means.maxCoeff() == means.minCoeff()) return;
  const VarianceShares shares = variance_shares(scores);
  out.share_method = shares.variant;
  out.share_seed = shares.seed;
  out.share_training = shares.snapshot;
  try {
    out.signal_to_noise = snapshot_signal_to_noise(means, numerics::to_vector(times)).ratio;
  } catch (const std::domain_error&) {
    // All lie on their parabolas: there is no noise to divide by.
  }
}

/// Of the complete entries, whose numbers are all there.
void take_agreement(const ScoresBySeed& by_seed, Audit& out) {
  std::vector<const std::vector<double>*> rows;
  for (const AuditedEntry& entry : out.entries)
    if (const auto found = by_seed.find(entry.score.subject);
        entry.complete && found != by_seed.end() &&
        static_cast<std::int64_t>(found->second.size()) == out.asked)
      rows.push_back(&found->second);
  if (rows.size() < 2) return;
  numerics::Matrix scores(static_cast<numerics::Index>(rows.size()), out.asked);
  const double better = out.direction == "lower" ? -1.0 : 1.0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    scores.row(static_cast<numerics::Index>(r)) =
        better * numerics::to_vector(*rows[r]).transpose();
  const SeedAgreement found = seed_agreement(scores);
  out.winners = found.winners;
  out.agreement = found.rho;
  const numerics::Vector means = scores.rowwise().mean();
  double decisions = 0.0;
  for (numerics::Index s = 0; s < scores.cols(); ++s)
    decisions += decision_accuracy(numerics::Vector(scores.col(s)), means);
  out.decision = decisions / static_cast<double>(scores.cols());
}

/// In the order of seeds.
ScoresBySeed scores_by_seed(Store& store, const BoardOptions& options, const std::string& metric) {
  ScoresBySeed out;
  for (const auto& score : current_scores(store, {.run = options.run,
                                                 .dataset = options.dataset,
                                                 .model = options.model,
                                                 .explainer = options.explainer,
                                                 .metric = metric,
                                                 .control = "none"}))
    out[{score.dataset_key, score.model_key, score.explainer_key}].push_back(score.value);
  return out;
}

void audit_metric(Store& store, const BoardOptions& options, const AuditOptions& how,
                  const std::string& metric, const Truths& truths,
                  const std::set<std::string>& known, std::vector<Audit>& out) {
  const std::string direction = direction_of(store, metric);
  auto entries = board_entries(store, options, metric, "");
  Names datasets(store), models(store), explainers(store);
  for (const BoardEntry& entry : entries) {
    const auto& [dataset, model, explainer] = entry.subject;
    datasets.note(dataset, entry.dataset);
    models.note(model, entry.model);
    explainers.note(explainer, entry.explainer);
  }
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Contestants> contests;
  for (BoardEntry& entry : entries) {
    const auto& [dataset, model, explainer] = entry.subject;
    const bool of_model = explainer.empty();
    entry.dataset = text_of(datasets.of(dataset, entry.dataset));
    entry.model = text_of(models.of(model, entry.model));
    entry.explainer = text_of(explainers.of(explainer, entry.explainer));
    Contestants& contest =
        contests[{entry.dataset, of_model ? "" : entry.model, dataset, of_model ? "" : model}];
    if (entry.control == "none")
      contest.entries.push_back(std::move(entry));
    else
      contest.twins[entry.subject].push_back(std::move(entry));
  }
  ScoresBySeed by_seed;
  std::map<std::string, Snapshot> trained;
  if (how.by_seed) {
    by_seed = scores_by_seed(store, options, metric);
    trained = snapshots(store);
  }
  const Auditor auditor(truths, known, is_over_seeds(store, metric), how.seeds);
  for (auto& [place, contest] : contests) {
    if (std::ranges::none_of(contest.entries, [](const auto& one) { return one.n > 0; }))
      continue;  // not applicable here
    Audit audit;
    std::tie(audit.dataset, audit.model, audit.contest.first, audit.contest.second) = place;
    audit.metric = metric;
    audit.direction = direction;
    auditor.fill(std::move(contest), audit);
    if (how.by_seed) {
      take_agreement(by_seed, audit);
      take_training(trained, by_seed, audit);
    }
    out.push_back(std::move(audit));
  }
}

/// Two digits, and no less: 0.0141 -> 0.015.
std::string up(double value) { return digits_text(rounded_up(value, 2), 2); }

}  // namespace

Scores as_independent(Scores scores) {
  if (scores.n < 3)
    scores.n = std::min<std::int64_t>(scores.n, 1);
  else
    scores.sd *= over_seeds_spread(scores.n);
  return scores;
}

std::vector<Audit> audits(Store& store, const BoardOptions& options, const AuditOptions& how) {
  Truths truths;
  for (const char* metric : kTruths)
    truths.emplace_back(metric, truth_means(store, options, metric));
  const std::set<std::string> known = known_explainers(store);
  std::vector<Audit> out;
  for (const std::string& metric : options.metrics)
    audit_metric(store, options, how, metric, truths, known, out);
  return out;
}

std::map<std::pair<std::string, std::string>, Noise> contest_noise(Store& store,
                                                                   const std::string& run,
                                                                   const std::string& metric) {
  const bool over_seeds = is_over_seeds(store, metric);
  std::map<std::pair<std::string, std::string>, std::vector<Scores>> things;
  for (const BoardEntry& entry :
       board_entries(store, {.run = run, .metrics = {metric}}, metric, "none")) {
    const auto& [dataset, model, explainer] = entry.subject;
    things[{dataset, explainer.empty() ? "" : model}].push_back(scores_of_entry(entry, over_seeds));
  }
  std::map<std::pair<std::string, std::string>, Noise> out;
  for (const auto& [contest, of] : things) out[contest] = pooled_noise(of);
  return out;
}

bool is_uneven(const Noise& noise) { return noise.largest_over > 2.0; }

bool is_unlearnt_twin(std::string_view control) { return is_among(kUnlearntTwins, control); }

bool is_audited(Store& store, const std::string& run) {
  if (run.empty()) return false;
  for (const char* metric : kTruths)
    if (is_asked(store, run, metric)) return true;
  std::string controls;
  for (const char* control : kUnlearntTwins)
    controls += (controls.empty() ? "'" : ", '") + std::string(control) + "'";
  // From the few datasets and models on, along the index cell_by_subject.
  Statement query(store.connection(),
                  "SELECT 1 FROM component AS d CROSS JOIN component AS m "
                  "CROSS JOIN cell ON cell.dataset = d.key AND cell.model = m.key "
                  "AND cell.control IN (" +
                      controls +
                      ") WHERE d.kind = 'dataset' AND m.kind = 'model' AND EXISTS "
                      "(SELECT 1 FROM run_cell WHERE run = ? AND cell = cell.key) LIMIT 1");
  return query.bind_all(run).step();
}

std::string audit_text(const Audit& audit) {
  if (!audit.reliable) return "";
  const std::string seeds = std::to_string(audit.seeds) + (audit.seeds == 1 ? " seed" : " seeds");
  std::string text = "differences below " + up(*audit.reliable) + " are not told apart by " +
                     audit.metric + " at " + seeds + " (";
  if (audit.seeds != 1) text += up(*audit.reliable_one) + " at one; ";
  text += "s = " + digits_text(audit.noise.sd, 2) + ", " + std::to_string(audit.noise.dof) +
          " df, 95 %; 80 % power from " + up(*audit.detectable) + ")";
  if (audit.uneven())
    text += "; the noisiest entry has " + digits_text(audit.noise.largest_over, 2) +
            " s: Welch's test for its pairs";
  for (const TruthAgreement& one : audit.truth)
    if (one.rho)
      text += "; rho with " + one.metric + " " + digits_text(*one.rho, 2) + ", " +
              std::to_string(one.entries) + " entries" +
              (one.significant ? "" : ", not significant");
  return text;
}

bool mark_neighbours(Table& board, const std::vector<Audit>& audits) {
  if (audits.empty()) return false;
  const std::size_t column = board.column(audits[0].metric);
  const auto contests = contests_of(board);
  const auto complete = [&](std::size_t row) -> Estimate* {
    auto* estimate = std::get_if<Estimate>(&board.rows[row][column]);
    const bool all = estimate != nullptr && estimate->n > 0 && estimate->n == estimate->asked;
    return all ? estimate : nullptr;
  };
  bool any = false;
  for (std::size_t row = 1; row < board.rows.size(); ++row) {
    if (contests[row] != contests[row - 1]) continue;
    const auto audit = std::ranges::find_if(audits, [&](const Audit& one) {
      return std::pair(one.dataset, one.model) == contests[row];
    });
    Estimate* const here = complete(row);
    const Estimate* const above = complete(row - 1);
    if (audit == audits.end() || !audit->reliable || here == nullptr || above == nullptr) continue;
    if (std::abs(here->mean - above->mean) >= *audit->reliable) continue;
    here->marks += "~";
    any = true;
  }
  return any;
}

}  // namespace conoscope::results
