// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/analysis/reliable_difference.h"
#include "results/boards/board.h"
#include "results/store/store.h"

namespace conoscope::results {

// Does a metric measure what it should, and how finely? Its scores of one contest (board.h), put to the
// test: noise over seeds, the smallest difference that is more than noise, agreement with known truth,
// and the distance to what has learnt nothing.

/// The largest sd exceeds twice the pooled one, which then says little of a pair: Welch's test (`compare
/// --unpaired`) does.
bool is_uneven(const Noise& noise);

/// One line of a board, with its most dangerous twin.
struct AuditedEntry {
  BoardEntry score;
  bool complete = false;  ///< every seed has its number; others say something of the noise alone
  bool known = false;     ///< no method: its explainer knows the answer, or draws one
  std::string twin =
      {};  ///< the control that scores best of those that have learnt nothing; empty: none
  std::optional<double> twin_mean = {};
  std::optional<double> gap =
      {};  ///< how much better than its twin, in smallest reliable differences
};

/// The metrics against known truth that others are held to.
inline constexpr std::array<const char*, 2> kTruths = {"truth_mcc", "truth_f1"};

/// Does the metric put the entries in the order in which a known truth does?
struct TruthAgreement {
  std::string metric;         ///< truth_mcc or truth_f1
  std::optional<double> rho;  ///< Spearman's, of the entries' means; none: too few, or all alike
  std::int64_t entries = 0;   ///< without controls, and without those whose answer is known
  bool significant = false;   ///< at 5 %: spearman_critical_value()
};

/// What is found of one metric in one contest. What has no number says so by having none.
struct Audit {
  std::string dataset, model;                   ///< model empty: the models themselves compete
  std::pair<std::string, std::string> contest;  ///< the same, by keys
  std::string metric, direction;
  std::vector<AuditedEntry> entries;
  std::int64_t complete = 0;  ///< entries
  std::int64_t asked = 0;     ///< seeds of a complete entry
  std::int64_t seeds = 0;     ///< that the differences are of
  Noise noise;  ///< of seeds, over all entries; of one on a fixed subject, nothing is stored
  std::optional<double> variation;  ///< mean of sd / |mean| over entries
  /// None: nothing has two seeds, or seeds change nothing, which is no proof of infinite resolution.
  std::optional<double> reliable, reliable_one, detectable;
  std::int64_t pairs = 0;            ///< of complete entries
  std::optional<double> told_apart;  ///< share of these pairs
  std::optional<std::int64_t>
      neighbours;  ///< told apart, of one less than there are complete entries
  std::vector<TruthAgreement> truth;
  /// Of the methods that were asked for after four equal numbers of `epochs` above 0 or more, where there are
  /// two of them: snapshot_signal_to_noise() of the means over seeds, variance_shares(), and how many get
  /// better with training.
  std::optional<double> signal_to_noise;
  std::optional<double> share_method, share_seed, share_training;
  std::int64_t trained = 0, rising = 0;
  std::optional<double> share_between;  ///< of the variance, between entries: one_way_components()
  std::int64_t winners = 0;             ///< seed_agreement() of the complete entries
  std::optional<double> agreement;
  std::optional<double> decision;  ///< decision_accuracy() of one seed, on average, for all seeds' means
  std::int64_t with_twins = 0;  ///< complete methods that have a complete twin
  std::int64_t beyond = 0;      ///< of these, those that are a reliable difference ahead
  std::optional<double> least_gap, largest_gap;
  /// Why the metric does not pass, in words that follow its name:
  ///
  ///   "shows no learning (TWIN)"  no method is a reliable difference ahead of its best twin, and which these
  ///                               are: a metric that reads codes alone, say, cannot tell permuted_decoder
  ///   "ranks against the truth"   rho with truth is negative, and significant
  ///   "tells no entries apart"    of three complete entries or more, no two
  std::vector<std::string> fails;

  bool uneven() const { return is_uneven(noise); }
};

struct AuditOptions {
  std::int64_t seeds = 0;  ///< that differences are of; 0: as many as the run asks for
  /// What needs more than means: winners, agreement and signal_to_noise.
  bool by_seed = false;
};

/// By metric as given, dataset and model. What options.controls and options.marks say plays no part.
///
/// throws  StoreError (not_found): the run does not ask for a metric; lists those it asks for
std::vector<Audit> audits(Store& store, const BoardOptions& options, const AuditOptions& how = {});

/// Explanations that have learnt nothing in some way, though they look like dictionaries that have. Where
/// an entry has none of them, random_concepts and random_importance stand in.
bool is_unlearnt_twin(std::string_view control);

/// Does the run ask for a truth or for unlearnt twins, so that its board is read with its audit?
bool is_audited(Store& store, const std::string& run);

/// Scores over seeds, of which each is a mean over pairs, with the spread that independent ones would have
/// (over_seeds_spread()); two of them share their one comparison, and count as one.
Scores as_independent(Scores scores);

/// What a metric's scores of one contest scatter by, by the keys of dataset and model (empty: the models
/// themselves compete).
///
/// run  key; empty: all that is in the store
std::map<std::pair<std::string, std::string>, Noise> contest_noise(Store& store,
                                                                   const std::string& run,
                                                                   const std::string& metric);

/// "differences below 0.015 are not told apart by truth_f1 at 5 seeds (0.032 at one; s = 0.011, 49 df,
/// 95 %; 80 % power from 0.020); rho with truth_mcc 0.90, 5 entries, not significant". Empty: one seed, or
/// seeds that change nothing.
std::string audit_text(const Audit& audit);

/// The rows of a contest on a board whose mean is closer to that of the row above, both complete, than
/// the metric tells apart get the mark ~.
///
/// board  as board() gives it, sorted by the metric of these audits
/// returns  whether any was marked
bool mark_neighbours(Table& board, const std::vector<Audit>& audits);

/// A row for each audit, all that there is.
Table audit_table(const std::vector<Audit>& audits);

/// The same in short tables for people, named by what they are about; empty ones are left out.
std::vector<std::pair<const char*, Table>> audit_tables(const std::vector<Audit>& audits);

/// A row for each entry: its mean, its twin and the gap between them.
Table audited_entries(const std::vector<Audit>& audits);

}  // namespace conoscope::results
