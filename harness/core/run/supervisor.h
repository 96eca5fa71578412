// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/artifacts/cache.h"
#include "harness/core/plan/plan.h"
#include "results/store/error.h"
#include "results/store/store.h"

namespace conoscope::core {

struct RunOptions {
  std::uint32_t jobs = 1;   ///< workers at a time
  std::uint32_t retry = 0;  ///< how often a failed job is tried again before it counts as failed
  bool confine = true;      ///< plugins, as far as the kernel can
  bool repeat = false;      ///< fit everything twice and compare bit for bit
  bool foreground = false;  ///< workers share the terminal, and nothing limits them
  std::vector<std::string> debugger = {};  ///< a command that each worker's is given to
  /// Asked once when the store cannot save: another store to go on with, or nullptr to give up. The
  /// run is then brought to an orderly end.
  std::function<results::Store*(const results::StoreError&)> recover;
};

/// One cell's end, for whoever shows progress.
struct CellEnd {
  const Cell* cell = nullptr;
  results::Status status = results::Status::ok;
  std::string stage, message;
  double seconds = 0;
};

/// Told what happens, from the supervisor's thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void cell_finished(const CellEnd& end, std::size_t finished, std::size_t total) = 0;
  /// At least every 50 ms while work is going on. running: what, and how far in [0, 1].
  virtual void tick(const std::vector<std::pair<std::string, double>>& running) = 0;
  virtual void message(const std::string& text) = 0;
};

struct RunOutcome {
  std::size_t good = 0, failed = 0, not_applicable = 0;
  int signal = 0;          ///< SIGINT or SIGTERM stopped it; 0: nothing did
  bool recovered = false;  ///< the store could not save; what came after is in the other store
};

/// Does the work of `todo` (indices of plan.cells) of a registered run, one worker process per node,
/// in the order of WorkQueue by the seconds that the store has recorded, and records an attempt per
/// cell. The only writer of the store. A fault of a plugin becomes a row; a fault of the store (full
/// disk, ...) is thrown as results::StoreError after the workers were stopped.
RunOutcome run_cells(const Plan& plan, const std::vector<std::size_t>& todo, results::Store& store,
                     const Cache& cache, Quarantine& quarantine, const RunOptions& options,
                     RunObserver& observer);

/// Makes the artifacts of these nodes and of what they need, where the cache lacks them. Nothing is
/// recorded: a fault is told to the observer, and is found again by the cells that need the artifact.
RunOutcome make_artifacts(const Plan& plan, const std::vector<std::size_t>& nodes,
                          results::Store& store, const Cache& cache, Quarantine& quarantine,
                          const RunOptions& options, RunObserver& observer);

}  // namespace conoscope::core
