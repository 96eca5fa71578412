// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/app/options.h"
#include "results/analysis/verification.h"
#include "results/formats/table.h"

namespace conoscope::app {

/// What came out when cells of a store were run again.
struct Verification {
  std::size_t same = 0, within = 0, different = 0, not_run = 0;
  results::Table cells;         ///< a row for each, and for each score that differs
  results::Table environments;  ///< what decides digits and was not the same, numbered as in cells

  bool passed() const { return different == 0 && not_run == 0; }
  /// "5 cells run again: 4 the same bit for bit, ..."
  std::string summary() const;
};

/// -j, --seed, --data, --plugin-path, --cache, --confine, --grant and --format, which run_again() and
/// sampled() heed.
void add_run_again_options(Options& options);

/// throws  UsageError: a mistake in one of them
void check_run_again_options(const Options& options);

/// Where files of run files are sought that are relative, or are not where they were: --data, the working
/// folder, where data lie.
/// throws  UsageError: --data is no folder
std::vector<std::filesystem::path> data_folders(const Options& options);

/// A random sample, with --per-row of each row, and says on standard error by which --seed it can be drawn again.
std::vector<results::Outcome> sampled(std::vector<results::Outcome> outcomes, std::size_t n,
                                      const Options& options);

/// Runs the cells again, in a cache and stores of their own that are gone afterwards, and compares.
/// throws  Stopped: SIGINT or SIGTERM
Verification run_again(results::Store& store, const std::vector<results::Outcome>& outcomes,
                       const Options& options);

/// A signal ended the work; what was done is lost.
struct Stopped {
  int signal;
};

/// The tables; for people without the cells that are the same.
void print_verification(const Verification& verification, results::Format format);

}  // namespace conoscope::app
