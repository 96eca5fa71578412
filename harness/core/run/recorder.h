// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/plan/plan.h"
#include "harness/core/processes/worker_process.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/supervisor.h"

namespace conoscope::core {

/// How far a node of the work graph is.
enum class State { kIdle, kWaiting, kReady, kRunning, kDone, kFailed };

/// What became of each node, by its number.
struct NodeEnds {
  explicit NodeEnds(std::size_t nodes) : state(nodes, State::kIdle), end(nodes) {}

  std::vector<State> state;
  std::vector<JobEnd> end;
};

/// What workers took, of each node.
class Costs {
 public:
  explicit Costs(const Plan& plan) : plan_(plan) {}

  struct Cost {
    double seconds = 0.0;
    std::uint64_t peak_memory = 0;  ///< of the hungriest of the workers
    std::string started_at;         ///< when the first of them was; empty: there was none

    void add(const Cost& other);
  };
  void started(std::size_t node, const std::string& when);
  void ended(std::size_t node, const JobEnd& end);
  /// What went into a node and what it needs; shared work counts for whoever asks first.
  Cost take(std::size_t node);

 private:
  const Plan& plan_;
  std::map<std::size_t, Cost> by_node_;
};

/// Writes into the store what became of a run's cells: what is known is known for each score, so a cell
/// has an attempt for each fault, and one for all that went well.
class Recorder {
 public:
  /// recover  see RunOptions
  Recorder(const Plan& plan, results::Store& store, const Cache& cache, const RunOptions& options,
           const NodeEnds& ends);

  const std::string& here() const { return here_; }
  Costs& costs() { return costs_; }
  /// The store could not save; what came after is in the other store.
  bool recovered() const { return recovered_; }
  results::Store& store() { return *store_; }

  /// Before anything is recorded.
  void begin();
  void add_event(const std::string& kind, const std::string& text);
  /// Where an artifact that the cache had was made: lines_of_elsewhere().
  void made_elsewhere(std::size_t node, std::set<std::string> lines);
  void made_here(std::size_t node) { elsewhere_.erase(node); }

  /// Of a score node, the scores that its cell lacks. Of a cell that lacks nothing all: somebody asks
  /// for it all the same.
  std::vector<std::string> scores_to_give(const Node& node);

  /// A cell, all of whose scores have ended.
  CellEnd record(std::size_t cell);

 private:
  struct Outcome;

  bool is_lacking(std::size_t cell, const std::string& score);
  bool is_scored(std::size_t node) const;
  std::vector<Outcome> outcomes_of(const Cell& cell) const;
  std::vector<results::ScoreRow> rows_of(std::size_t index, const Outcome& outcome);
  double record(const Cell& cell, const Outcome& outcome,
                const std::vector<results::ScoreRow>& rows);
  results::EnvironmentRow environment_of(const Cell& cell) const;
  std::string notes_of(const std::vector<std::size_t>& scores) const;
  template <typename Write>
  void save(Write&& write);

  const Plan& plan_;
  results::Store* store_;
  const Cache& cache_;
  const RunOptions& options_;
  const NodeEnds& ends_;
  Costs costs_;
  Lacking lacking_;
  /// By cell, as far as it was asked for, what it lacks; empty: everything.
  std::map<std::size_t, std::set<std::string>> lack_;
  std::map<std::size_t, std::set<std::string>> elsewhere_;
  const std::string here_;  ///< without what runs scripts, which each artifact names for itself
  const results::EnvironmentRow environment_;
  bool recovered_ = false;
};

}  // namespace conoscope::core
