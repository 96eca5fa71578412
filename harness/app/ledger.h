// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/plan/run_file.h"
#include "results/analysis/claim.h"

namespace conoscope::app {

/// Whose scores a claim is about: names as boards print them, or plugin ids. Empty: any, and then
/// the run must have but one.
struct LedgerSubject {
  std::string dataset, model, explainer, metric;
};

/// One published statement: a number, an order, an equality.
struct LedgerClaim {
  std::string says;
  results::Rule rule = results::Rule::kAscending;
  double bound = 0;
  std::vector<LedgerSubject> subjects;  ///< with the claim's own dataset, ... filled in
  std::string with;  ///< the metric that this one is correlated with; mostly none
  std::vector<double> theirs, theirs_half_width;
  std::vector<double>
      theirs_sd;  ///< of the population of `theirs_seeds` values; gives the half-width
  std::int64_t theirs_seeds = 0;
  /// What it would take to tell whether the paper errs, where its rule does not hold here, and what was
  /// tried; empty: the rule decides.
  std::string undecidable;
  core::Place place;
};

/// The study that makes a table or figure.
struct LedgerRun {
  std::string file;     ///< a run file that ships; empty: none makes it
  std::string profile;  ///< empty: the file's first
  auto operator<=>(const LedgerRun&) const = default;
};

/// A table or figure of the paper.
struct LedgerItem {
  std::string name, about;
  LedgerRun run;
  std::string note;      ///< why there is no claim, or what is other than in the paper
  double resampled = 0;  ///< its seeds split one sample: test rows for each training row
  std::string size;  ///< what larger run would decide what is open here, and its cost; empty: none
  std::vector<LedgerClaim> claims;
};

/// All tables and figures of a paper, in its order.
struct Ledger {
  std::string paper;
  std::vector<LedgerItem> items;

  /// Every study that an item names, once, in order.
  std::vector<LedgerRun> runs() const;
};

/// Reads a ledger: TOML, as docs/reproduction.md describes.
///
/// throws  core::RunFileError: everything that is wrong with it, at once
Ledger read_ledger(const std::filesystem::path& path);

}  // namespace conoscope::app
