// SPDX-License-Identifier: Apache-2.0
// Does a store hold what comes out when its cells are run again?

#include "harness/app/verify.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/plugin_access.h"
#include "harness/app/plugin_info.h"
#include "harness/app/progress.h"
#include "harness/app/store_options.h"
#include "harness/core/path_fault.h"
#include "harness/core/plan/over_seeds.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/stored_cells.h"
#include "harness/core/run/supervisor.h"
#include "metrics/catalogue.h"
#include "metrics/peer_metric.h"
#include "results/store/checksum.h"
#include "results/store/identity.h"
#include "results/store/sqlite.h"

namespace conoscope::app {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

constexpr const char* kWithin = "within 1e-6";
static_assert(results::kElsewhere == 1e-6);

/// Builds the tables of a Verification, cell by cell.
class VerificationTables {
 public:
  VerificationTables() {
    using results::Column;
    out_.cells.columns = {Column::text("verdict"),
                          Column::text("subject"),
                          Column::text("metric"),
                          Column::integer("part"),
                          Column::text("stored"),
                          Column::text("again"),
                          {"difference", results::ColumnType::kReal, 2},
                          Column::integer("environment"),
                          Column::text("reason"),
                          Column::text("cell")};
    out_.environments.columns = {Column::integer("environment"), {"what"}, {"stored"}, {"again"}};
  }

  void not_run(const results::Outcome& stored, const std::string& reason) {
    ++out_.not_run;
    add("not run", stored, {}, reason);
  }

  void compared(const results::Outcome& stored, const results::RepeatedOutcome& found) {
    const results::Field environment = number_of(found.elsewhere);
    if (found.repetition == results::Repetition::kSame) {
      ++out_.same;
      return add("same", stored, environment, "");
    }
    const bool within = found.repetition == results::Repetition::kWithin;
    ++(within ? out_.within : out_.different);
    for (const auto& difference : found.differences)
      add(within ? kWithin : "differs", stored, environment, "", &difference);
  }

  Verification take() { return std::move(out_); }

 private:
  void add(const std::string& verdict, const results::Outcome& stored,
           const results::Field& environment, const std::string& reason,
           const results::ScoreDifference* difference = nullptr) {
    results::Field metric, part, before, again, by;
    if (difference != nullptr) {
      metric = difference->metric;
      if (difference->part) part = *difference->part;
      before = difference->stored;
      again = difference->again;
      if (difference->by) by = *difference->by;
    }
    const results::Field why = reason.empty() ? results::Field() : results::Field(reason);
    out_.cells.add(
        {verdict, stored.subject, metric, part, before, again, by, environment, why, stored.cell});
  }

  /// Cells that differ in the same things share a number.
  results::Field number_of(const std::vector<results::EnvironmentDifference>& elsewhere) {
    if (elsewhere.empty()) return {};
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (known_[i] == elsewhere) return static_cast<std::int64_t>(i + 1);
    known_.push_back(elsewhere);
    const auto number = static_cast<std::int64_t>(known_.size());
    for (const auto& one : elsewhere)
      out_.environments.add({number, one.what, one.stored, one.again});
    return number;
  }

  Verification out_;
  std::vector<std::vector<results::EnvironmentDifference>> known_;
};

/// Why a cell has no good attempt.
std::string failure_of(results::Store& again, const std::string& cell) {
  auto& row = again.connection().kept(
      "SELECT status, stage, message FROM attempt WHERE cell = ? ORDER BY number DESC LIMIT 1");
  row.bind_all(cell);
  const std::string text =
      row.step() ? row.text(0) + " [" + row.text(1) + "] " + row.text(2) : "it was not tried";
  row.reset();
  return text;
}

/// What these outcomes have scores of, and what else their run asks for and something here gives.
std::set<std::string> metrics_of(results::Store& store, const std::string& run,
                                 const std::vector<const results::Outcome*>& outcomes,
                                 const core::Registry& registry) {
  std::set<std::string> here, out;
  for (const auto& metric : metrics::catalogue().metrics())
    if (!metrics::is_over_seeds(metric.name)) here.insert(metric.name);
  for (const auto& plugin : registry.plugins())
    if (plugin.metadata)
      for (const auto& score : plugin.metadata->scores) here.insert(score.name);
  for (const auto& metric : store.run_metrics(run))
    if (here.contains(metric)) out.insert(metric);
  auto& rows = store.connection().kept(
      "SELECT metric FROM score WHERE attempt = ? AND reason IS NOT 'error'");
  for (const auto* outcome : outcomes) {
    rows.bind_all(outcome->attempt);
    while (rows.step()) out.insert(rows.text(0));
    rows.reset();
  }
  return out;
}

/// By cell of the plan, the peers that each of these outcomes was compared with. Left out: those of
/// which not all can be run.
std::map<std::size_t, std::vector<std::size_t>> planned_peers(
    const core::Plan& plan, const std::vector<const results::Outcome*>& outcomes) {
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) place[plan.cells[i].key] = i;
  std::map<std::size_t, std::vector<std::size_t>> out;
  for (const auto* outcome : outcomes) {
    std::vector<std::size_t> peers;
    for (const auto& key : outcome->peers)
      if (const auto it = place.find(key); it != place.end()) peers.push_back(it->second);
    const auto own = place.find(outcome->cell);
    if (peers.empty() || peers.size() < outcome->peers.size() || own == place.end()) continue;
    std::sort(peers.begin(), peers.end(), [&plan](std::size_t a, std::size_t b) {
      return plan.cells[a].seed < plan.cells[b].seed;
    });
    out[own->second] = std::move(peers);
  }
  return out;
}

/// Why an outcome's cell, or a peer of it, cannot be run again; empty: it can.
std::string reason_of(const results::Outcome& outcome, const core::StoredCells& planned) {
  if (const auto it = planned.reason.find(outcome.cell); it != planned.reason.end())
    return it->second;
  for (const auto& peer : outcome.peers)
    if (const auto it = planned.reason.find(peer); it != planned.reason.end())
      return "cell " + short_key(peer) + ", with which it is compared: " + it->second;
  return "";
}

/// Components to which the store gives other names than the run's file.
std::vector<results::ScoreDifference> other_names(results::Store& store,
                                                  const results::Outcome& outcome,
                                                  const core::Plan& plan) {
  std::vector<results::ScoreDifference> out;
  const auto cell = std::ranges::find(plan.cells, outcome.cell, &core::Cell::key);
  if (cell == plan.cells.end()) return out;
  auto& name =
      store.connection().kept("SELECT name FROM run_component WHERE run = ? AND component = ?");
  for (const core::Component* component : {cell->dataset, cell->model, cell->explainer}) {
    if (component == nullptr) continue;
    if (name.bind_all(outcome.run, component->key).step() && name.text(0) != component->name)
      out.push_back({"(name of the " + std::string(core::to_string(component->kind)) + ")",
                     std::nullopt, name.text(0), component->name, std::nullopt, false});
    name.reset();
  }
  return out;
}

/// A stored outcome beside the one that came out here.
results::RepeatedOutcome compared(results::Store& store, const results::Outcome& stored,
                                  results::Store& again, const results::Outcome& other,
                                  const core::Plan& plan) {
  auto scores = results::compare_scores(store, stored.attempt, again, other.attempt);
  for (auto& more : {results::scores_left_out(store, stored, again, other.attempt),
                     other_names(store, stored, plan)})
    scores.differences.insert(scores.differences.end(), more.begin(), more.end());
  return results::compare_outcomes(stored, other, scores);
}

/// Runs the planned cells and says what came of all.
void run_group(results::Store& store, const std::vector<const results::Outcome*>& outcomes,
               const core::StoredCells& planned, const fs::path& scratch,
               core::Quarantine& quarantine, const Options& options, VerificationTables& tables) {
  auto again = results::Store::open(":memory:", results::Mode::kReadWrite);
  if (!planned.plan.cells.empty()) {
    core::register_run(planned.plan, again);
    ask_for_access(planned.plan, options);
    core::RunOptions run_options;
    run_options.jobs = options.jobs();
    run_options.confine = options.confine();
    const core::Cache cache(scratch / "cache");
    const auto run = [&](const core::Plan& plan, const std::vector<std::size_t>& todo) {
      if (todo.empty()) return;
      Progress progress(todo.size());
      const auto ended =
          core::run_cells(plan, todo, again, cache, quarantine, run_options, progress);
      if (ended.signal != 0) throw Stopped{ended.signal};
    };
    // Of a peer only the explanation is needed.
    std::vector<std::size_t> alone;
    for (std::size_t i = 0; i < planned.plan.cells.size(); ++i)
      if (std::any_of(outcomes.begin(), outcomes.end(), [&](const auto* outcome) {
            return outcome->peers.empty() && outcome->cell == planned.plan.cells[i].key;
          }))
        alone.push_back(i);
    run(planned.plan, alone);
    const core::Plan over_seeds =
        core::plan_over_seeds(planned.plan, planned_peers(planned.plan, outcomes));
    std::vector<std::size_t> compared(over_seeds.cells.size());
    std::iota(compared.begin(), compared.end(), std::size_t{0});
    run(over_seeds, compared);
  }
  // A cell scored by itself, and over seeds.
  std::map<std::pair<std::string, bool>, results::Outcome> done;
  for (auto& outcome : results::outcomes_that_count(again, "")) {
    const auto which = std::pair(outcome.cell, outcome.peers.empty());
    done.emplace(which, std::move(outcome));
  }
  for (const auto* stored : outcomes) {
    const auto reason = reason_of(*stored, planned);
    const auto it = done.find({stored->cell, stored->peers.empty()});
    if (!reason.empty())
      tables.not_run(*stored, reason);
    else if (it == done.end())
      tables.not_run(*stored, failure_of(again, stored->cell));
    else
      tables.compared(*stored, compared(store, *stored, again, it->second, planned.plan));
  }
}

}  // namespace

std::string Verification::summary() const {
  const std::size_t all = same + within + different + not_run;
  std::string out = std::to_string(all) + (all == 1 ? " cell" : " cells") + ": " +
                    std::to_string(same) + " the same bit for bit";
  if (within > 0) out += ", " + std::to_string(within) + " " + std::string(kWithin);
  if (different > 0)
    out += ", " + std::to_string(different) + (different == 1 ? " differs" : " differ");
  if (not_run > 0) out += ", " + std::to_string(not_run) + " not run again";
  return out;
}

void add_run_again_options(Options& options) {
  options.add()("seed", po::value<std::uint64_t>()->value_name("S"),
                "draw this sample (default: one that nobody can foresee)");
  options.with_jobs();
  options.texts("data", "DIR", "look for the data files of run files here first; may be repeated");
  options.with_plugins();
  options.with_confinement();
  options.with_format();
}

std::vector<fs::path> data_folders(const Options& options) {
  std::vector<fs::path> out;
  for (const auto& folder : options.list("data")) {
    if (const auto fault = core::fault_of_folder(folder); !fault.empty())
      throw UsageError("--data " + folder + ": " + fault);
    out.push_back(fs::absolute(folder));
  }
  out.push_back(fs::current_path());
  if (!data_folder().empty()) out.push_back(data_folder());
  out.push_back(share_folder() / "runs");  // beside which the data that ship lie
  out.push_back(share_folder());
  return out;
}

std::vector<results::Outcome> sampled(std::vector<results::Outcome> outcomes, std::size_t n,
                                      const Options& options) {
  std::random_device device;
  const std::uint64_t seed = options.has("seed") ? options.get<std::uint64_t>("seed") : device();
  const std::size_t all = outcomes.size();
  auto out = options.has("per-row") ? results::sample_of_rows(std::move(outcomes), n, seed)
                                    : results::sample_of(std::move(outcomes), n, seed);
  if (out.size() < all)
    std::cerr << out.size() << " of " << all << " cells, drawn with --seed " << seed << '\n';
  return out;
}

void check_run_again_options(const Options& options) {
  options.jobs();
  options.confine();
  options.format();
  data_folders(options);
}

Verification run_again(results::Store& store, const std::vector<results::Outcome>& outcomes,
                       const Options& options) {
  const auto data = data_folders(options);
  core::Quarantine quarantine = open_quarantine(options);
  const core::Registry registry = scan_plugins(options, quarantine);
  // Below the cache, where there is room; what a killed process leaves there is removed by the next.
  const core::Cache cache(options.cache());
  std::map<std::string, std::vector<const results::Outcome*>> by_run;
  for (const auto& outcome : outcomes) by_run[outcome.run].push_back(&outcome);
  VerificationTables tables;
  for (const auto& [run, group] : by_run) {
    const core::WorkFolder scratch(cache);
    std::set<std::string> cells;
    for (const auto* outcome : group) {
      cells.insert(outcome->cell);
      cells.insert(outcome->peers.begin(), outcome->peers.end());
    }
    const auto planned =
        core::plan_stored_cells(store, run, cells, metrics_of(store, run, group, registry),
                                {registry, quarantine, data}, scratch.path());
    run_group(store, group, planned, scratch.path(), quarantine, options, tables);
  }
  return tables.take();
}

void print_verification(const Verification& verification, results::Format format) {
  results::Table cells = verification.cells;
  if (format == results::Format::table) {
    std::erase_if(cells.rows,
                  [](const auto& row) { return std::get<std::string>(row[0]) == "same"; });
    if (cells.rows.empty()) return;
    for (auto& row : cells.rows) row.back() = short_key(std::get<std::string>(row.back()));
  }
  if (format == results::Format::table && verification.environments.rows.empty())
    print({{"cells", cells}}, format);
  else
    print({{"cells", cells}, {"environments", verification.environments}}, format);
}

int verify_command(const Arguments& arguments) {
  Options options(
      "verify [STORE|RUN] [options]",
      "Runs good cells of a store again, in a cache of their own, and compares every score:\n"
      "bit for bit where they were made in the same environment, else within 1e-6.\n"
      "STORE is a file; RUN one of the store's. Nothing is written to the store.\n"
      "Exit code 6: a score differs; 4: none does, but cells could not be run again.",
      {"conoscope verify --sample 2", "conoscope verify last-month.db --sample 1 --seed 7",
       "conoscope verify quick --sample 2 -j 2 --format csv"});
  options.positional("what", 1);
  options.with_store();
  options.integer("sample", "N", "only N cells, at random (default: all)");
  options.flag("per-row", "draw so many of each dataset, model and explainer");
  add_run_again_options(options);
  if (!options.parse(arguments)) return kOk;
  check_run_again_options(options);
  if (options.has("sample")) options.number("sample", 1);
  if (options.has("per-row") && !options.has("sample"))
    throw UsageError("verify: --per-row goes with --sample N");
  const std::string what = options.has("what") ? options.list("what")[0] : "";
  const bool is_file = core::fault_of_file(what).empty();
  if (is_file && options.has("store")) throw UsageError("verify: " + what + " or --store?");
  auto store = open_store(options, is_file ? fs::path(what) : options.store());
  results::verify(store);
  results::require_identities(store);
  auto outcomes =
      results::outcomes_that_count(store, is_file || what.empty() ? "" : store.find_run(what));
  if (options.has("sample"))
    outcomes = sampled(std::move(outcomes), options.number("sample", 1), options);
  if (outcomes.empty()) throw UsageError("verify: no good cell to run again");
  try {
    const Verification verification = run_again(store, outcomes, options);
    print_verification(verification, options.format());
    std::cerr << verification.summary() << '\n';
    return verification.different > 0 ? kDifferent : verification.not_run > 0 ? kSomeFailed : kOk;
  } catch (const Stopped& stopped) {
    std::cerr << "stopped; nothing was compared\n";
    return stopped.signal == SIGINT ? kInterrupted : kStopped;
  }
}

}  // namespace conoscope::app
