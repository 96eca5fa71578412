// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/store/error.h"
#include "results/store/origins.h"
#include "results/store/rows.h"

namespace conoscope::results {

class Connection;

enum class Mode {
  kReadOnly,
  kReadWrite,
  kCopy  ///< in memory: nobody else can change it, and its changes are never saved
};

/// Asked each second, from the third one on, while this process waits for a store that another one has
/// locked: the store, and whether it is the first time for this wait. False: wait no longer. Without
/// it, one waits for kLongestWait, and none longer.
using LockWait = std::function<bool(const std::string& store, bool first)>;
void set_lock_wait(LockWait wait);
inline constexpr std::chrono::seconds kLongestWait = std::chrono::minutes(5);

/// Everything that was asked for and everything that came out, in one SQLite file.
///
/// One object per thread and process; several processes may write the same file, each waits for the
/// other, see LockWait. Journal: WAL on a local disk, else the rollback journal. synchronous = FULL:
/// an acknowledged attempt survives a power cut, not only a kill; the price is one fsync per
/// attempt, and an attempt takes much longer than that.
class Store {
 public:
  /// Opens, and for read_write creates and migrates. ":memory:" is a store that is never saved. For
  /// reading, a store of an older schema is migrated in memory, and its file is left as it is; the text
  /// form of a store (text_form.h) is read into memory, and of a folder all that lie in it, and every
  /// SUBMISSION/scores.gz, as one.
  ///
  /// throws  StoreError: cannot_open, not_a_database, not_a_store, newer_schema, read_only (file or
  ///         folder), disk_full, busy
  static Store open(const std::filesystem::path& path, Mode mode);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Says what a run asks for, in one transaction. Again with the same rows: nothing changes. Names of
  /// components and the order of metrics are the run's own; new ones take the place of the old.
  ///
  /// cells    are asked of the run; their components are given here or known already
  /// metrics  are asked of the run
  /// throws   StoreError: conflict (a key that is known with another content), constraint
  void register_run(const RunRow& run, std::span<const ComponentRow> components,
                    std::span<const CellRow> cells, std::span<const MetricKeyRow> metrics);

  void add_plugins(std::span<const PluginRow> plugins);
  void add_environment(const EnvironmentRow& environment);
  void add_event(const EventRow& event);

  /// Saves an attempt with all that belongs to it, or nothing, in one transaction.
  ///
  /// Its number, which orders attempts, is greater than those of all that are there.
  ///
  /// scores   a metric that the attempt could not score has the reason "error"
  /// peers    keys of the cells that the scores compare this one with
  /// returns  false: this id is saved already, with the same cell, run, status and start
  /// throws   std::invalid_argument: a value that is not finite (see score_row())
  ///          StoreError: conflict (the id is another attempt), constraint (unknown cell, metric,
  ///          ...; value and reason both or neither), cannot_open (the file was deleted or moved
  ///          meanwhile), disk_full, busy, ...
  bool record(const AttemptRow& attempt, std::span<const ScoreRow> scores,
              std::span<const SampleScoreRow> sample_scores = {},
              std::span<const std::string> peers = {});

  /// From now on the attempt does not count. It stays in the store.
  ///
  /// throws  StoreError: not_found
  void retract(std::string_view attempt, std::string_view reason, std::string_view at);

  /// The cells that have an attempt of whatever kind and run.
  std::set<std::string> tried_cells();
  /// What is known of a cell, metric by metric. Attempts of every run count.
  KnownCell known(std::string_view cell);

  /// Of every cell that has a score of this metric which counts. Left out are scores that compare
  /// with a cell which has no good attempt (any more).
  std::map<std::string, ScoreOverSeeds> scores_over_seeds(std::string_view metric);

  /// What a run asks for, in its order; in stores from before schema 4 by name.
  std::vector<std::string> run_metrics(std::string_view run);

  /// Median seconds of the successful attempts by component key: what a plan estimates with.
  std::map<std::string, double> median_seconds();

  /// The most bytes that a worker held, over all attempts, by the keys of dataset, model and
  /// explainer (empty for none).
  std::map<std::array<std::string, 3>, std::int64_t> peak_memory();

  /// Oldest first. Left out are those of which the store has attempts alone, for another run's cells,
  /// and not what they ask for (merge_attempts(), text_form.h).
  std::vector<RunRow> runs();

  /// The run with this key, whatever the store has of it.
  ///
  /// throws  StoreError (not_found)
  RunRow run(std::string_view key);

  /// The key of a run given by its key, by a prefix that only one key has, or by its name (the
  /// newest run of that name).
  ///
  /// throws  StoreError (not_found): none or several fit; lists the runs
  std::string find_run(std::string_view text);

  /// The key of the cell whose key begins like this.
  ///
  /// throws  StoreError (not_found): none or several do
  std::string find_cell(std::string_view prefix);

  const std::filesystem::path& path() const;

  /// Of the rows that submissions in this folder have brought.
  const Origins& origins() const;

  /// For the other files of this folder and for tests.
  Connection& connection();

 private:
  struct Parts;
  explicit Store(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace conoscope::results
