// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/app/compare_sides.h"
#include "results/analysis/comparison.h"
#include "results/boards/scores.h"
#include "results/formats/table.h"

namespace conoscope::app {

/// --metric: metrics and groups; without it, every metric that ranks.
class WantedMetrics {
 public:
  /// known   metrics of plugins
  /// throws  UsageError: a word is neither a metric nor a group
  WantedMetrics(const std::vector<std::string>& words, const std::set<std::string>& known);
  bool operator()(const results::CurrentScore& score) const;

  /// The words that none of these metrics belongs to.
  std::vector<std::string> without(const std::set<std::string>& metrics) const;

 private:
  std::map<std::string, std::set<std::string>> names_;  ///< by word; empty: every one that ranks
};

/// The scores of one side as results::compare() takes them: a row is a metric and, unless pooled,
/// the names that both sides share (kBetween between them); a partner is the rest and the seed.
struct Arranged {
  std::vector<results::ComparedNumber> numbers;
  std::map<std::string, std::string> directions;  ///< of the metric, by row
  /// Keys of dataset and model (empty: the models themselves compete), by row: where the sides are entries
  /// of one contest (results/boards/board.h).
  std::map<std::string, std::pair<std::string, std::string>> contests = {};
};

/// In the catalogue's order; metrics of plugins behind it.
/// throws  UsageError: a name stands for two versions, so that it does not say what belongs together
Arranged arrange(std::vector<results::CurrentScore> scores, const Side& side,
                 const WantedMetrics& wanted, bool pooled);

/// Two runs may call one thing by two names: B's scores take those that A's have.
void call_alike(const std::vector<results::CurrentScore>& a, std::vector<results::CurrentScore>& b);

/// One row for each of the comparison, with its verdict.
/// metric_pair  what the rows are called where two metrics are compared; else empty
/// shared       the columns between metric and statistics
/// correction   as --correction has it
results::Table comparison_table(const results::Comparison& comparison, const Arranged& a,
                                const Arranged& b, const std::string& metric_pair,
                                const std::vector<std::string>& shared, bool paired,
                                const std::string& correction);

}  // namespace conoscope::app
