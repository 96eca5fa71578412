// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::results {

/// One number of one side.
struct ComparedNumber {
  std::string row;      ///< what it is compared under: a metric, and perhaps dataset and model
  std::string partner;  ///< what it shares with its partner on the other side: dataset, model, seed
  double value = 0;
  std::string dataset = {};  ///< for ComparisonOptions::over_datasets
  /// What is judged, whatever the metric: rows about the same thing whose pairs are equal bit for bit
  /// are one test. Empty: every row is a test of its own.
  std::string about = {};
  bool over_seeds =
      false;  ///< its spread is taken as over_seeds_spread() says; three or more make a test
};

enum class PairTest { kT, kWilcoxon, kBootstrap };
enum class Correction { kHolm, kBenjaminiHochberg, kNone };

struct ComparisonOptions {
  bool paired = true;  ///< false: Welch's test of two groups, and `test` plays no part
  /// Numbers are first averaged over each dataset, so that n counts datasets, which are independent,
  /// and not seeds and models, which are not (Demsar, JMLR 7, 2006).
  bool over_datasets = false;
  double resampled = 0.0;  ///< of paired_t_test: the seeds are splits of one sample
  PairTest test = PairTest::kT;
  Correction correction = Correction::kHolm;
  double alpha = 0.05;
  double power = 0.8;  ///< of the smallest difference that counts as detectable
  bool plan = true;    ///< false: no `detectable` and `needed`, which cost most of the time
};

/// Do two sides differ under one heading? Differences are A minus B.
struct ComparisonRow {
  std::string row;
  std::int64_t n_a = 0, n_b = 0;  ///< numbers that went in; equal if paired
  double mean_a = 0, mean_b = 0, difference = 0;
  std::optional<double> low, high;  ///< of the difference, at 1 - alpha; bootstrap: percentiles
  std::optional<double> p, p_corrected;  ///< none: fewer than two pairs, or values a side
  /// Paired t test, and differences that vary: the smallest mean difference that so many pairs show
  /// with probability `power`, at alpha over the number of rows where p is corrected.
  std::optional<double> detectable;
  /// The pairs it takes to show the difference that was seen, likewise; none also above a million.
  std::optional<std::int64_t> needed;
  bool over_seeds = false;
  bool equal = false;  ///< no pair, or unpaired no two values, differ by more than rounding (1e-12)
  bool constant = false;   ///< paired, not equal, and all pairs differ by the same up to rounding
  bool different = false;  ///< p_corrected <= alpha, and not equal
  std::string
      same_as;  ///< the earlier row that it equals bit for bit and is one test with; empty: none
  /// Set by who knows it: the smallest difference of two means over so many seeds that is more than noise
  /// (reliable_difference()). Seeds that do the same to both sides may show a smaller one.
  std::optional<double> reliable = {};
  /// Of Wilcoxon's test: whose ranks are larger, which the mean difference may contradict.
  std::optional<bool> ranks_favour_a;
};

struct Comparison {
  std::vector<ComparisonRow> rows;        ///< in the order of A; without a pair: left out
  std::int64_t alone_a = 0, alone_b = 0;  ///< numbers without a partner (paired), or without a row
  bool different() const;
};

/// Compares two sides row by row, and corrects the p-values over all rows; those that are equal bit
/// for bit count once (ComparedNumber::about).
///
/// throws  std::invalid_argument: a side has two numbers for one row and partner, or an option is
///         outside
Comparison compare(const std::vector<ComparedNumber>& a, const std::vector<ComparedNumber>& b,
                   const ComparisonOptions& options);

/// What a row says, in words: "A better by 0.16", "not separable with 3 pairs; 12 needed". Where all
/// pairs differ by the same, chance played no part, and the verdict says so. A difference that is found but
/// smaller than a reliable one says that, too.
///
/// direction  of the metric: higher, lower or none
std::string verdict(const ComparisonRow& row, std::string_view direction, bool paired);

}  // namespace conoscope::results
