// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/cpu_level.h"
#include "harness/app/default_run.h"
#include "harness/app/options.h"
#include "harness/app/plugin_access.h"
#include "harness/app/print_board.h"
#include "harness/app/progress.h"
#include "harness/app/selection.h"
#include "harness/app/submission.h"
#include "harness/app/taking.h"
#include "harness/core/artifacts/work_folders.h"
#include "harness/core/plan/over_seeds.h"
#include "harness/core/run/peers.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/run_estimate.h"
#include "harness/core/run/supervisor.h"
#include "results/formats/numbers.h"
#include "results/store/error.h"
#include "results/store/store.h"

namespace conoscope::app {

namespace {

std::string seconds_text(std::chrono::steady_clock::time_point start) {
  return results::digits_text(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 3);
}

/// Before the first job and after the last one there is nothing to finish: SIGINT and SIGTERM end
/// the command at once, with the codes that they have in between.
void stop_at_once_outside_jobs() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    constexpr char kText[] = "conoscope: stopped; the same command continues\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText, sizeof(kText) - 1);
    ::_exit(signal == SIGINT ? kInterrupted : kStopped);
  };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

/// The exit code of a run that was stopped; nullopt: it came to its end.
std::optional<int> stopped_code(const core::RunOutcome& outcome) {
  if (outcome.signal == 0) return std::nullopt;
  std::cerr << "stopped; the same command continues\n";
  return outcome.signal == SIGINT ? kInterrupted : kStopped;
}

void add_options(Options& options) {
  options.positional("file", 1);
  options.with_store();
  options.with_from();
  options.with_plugins();
  options.with_profile();
  options.with_jobs();
  options.texts("only", "KEY=VALUE",
                "only such cells; KEY: dataset, model, explainer, seed, control, cell");
  options.text("shard", "i/N", "only the i-th of N parts of the cells; merge the stores afterwards",
               "");
  options.text("frozen", "DIR", "the shards that `submit` has put down in this folder");
  options.flag("prepare", "only make the models, with --shard those that several shards need");
  options.flag("over-seeds",
               "run no cells; only score the metrics over seeds of the cells that are done");
  options.real("memory", "MIB",
               "what all workers may hold together, if that is less than limits.memory for each");
  options.integer("retry", "N", "try a failed job again up to N times", 0);
  options.flag("repeat", "fit everything twice; a difference of one bit is a failure");
  options.with_confinement();
  options.flag("no-board", "do not print the leaderboard");
  options.with_format();
}

/// The plan, and how its work is done.
struct Work {
  core::Plan plan;
  core::Split split;
  core::Cache cache;
  core::Quarantine quarantine;
  core::RunOptions how;
};

/// --memory: a smaller share for each worker than the run file's limit.
void limit_memory(const Options& options, unsigned jobs, core::Plan& plan) {
  if (!options.has("memory")) return;
  const double share = options.get<double>("memory") / jobs;
  if (!(share >= 1)) throw UsageError("--memory: expected a MiB or more for each worker");
  auto& memory = plan.run_file.limits.memory;
  if (share < static_cast<double>(memory) / 0x1p20)
    memory = static_cast<std::uint64_t>(share * 0x1p20);
}

core::Split split_asked_for(const Options& options, const core::Plan& plan) {
  const auto& shard = options.get<std::string>("shard");
  core::Split split = options.has("frozen") ? frozen_split(plan, options.get<std::string>("frozen"))
                                            : split_of(plan, parse_shard(shard).of);
  if (!options.has("over-seeds")) return split;
  if (!shard.empty() || options.has("prepare"))
    throw UsageError("--over-seeds cannot be combined with --shard or --prepare");
  if (core::peers_of_cells(plan).empty())
    throw UsageError("--over-seeds: " + plan.run_file.name +
                     " asks for no metric over seeds, or has one seed");
  return split_of(plan, 1);  // what has been merged, whichever shard did it
}

/// The cells that --only and --shard leave, without those that are finished.
std::vector<std::size_t> cells_asked_for(const Options& options, const Work& work,
                                         const std::set<std::string>& finished) {
  return select_cells(work.plan, finished, options.list("only"), options.get<std::string>("shard"),
                      &work.split);
}

/// throws  UsageError: whatever is wrong, before a store is made
Work work_of(const Options& options) {
  core::RunOptions how;
  how.confine = options.confine();
  how.jobs = options.jobs();
  how.retry = static_cast<unsigned>(options.number("retry", 0, 1000));
  how.repeat = options.has("repeat");
  core::Plan plan = load_plan(
      options.has("file") ? find_run_file(options.list("file")[0]) : default_run_file(options),
      options);
  follow_cpu(plan.run_file.cpu, plan.run_file.path);
  limit_memory(options, how.jobs, plan);
  core::Split split = split_asked_for(options, plan);
  Work work{std::move(plan), std::move(split), core::Cache(options.cache()),
            open_quarantine(options), std::move(how)};
  cells_asked_for(options, work, {});  // a mistake in --only or --shard is said now
  return work;
}

/// --prepare: makes models for others to use. Returns the exit code.
int prepare(const Options& options, Work& work) {
  ask_for_access(work.plan, options);
  const auto models =
      shared_models(work.plan, work.split, parse_shard(options.get<std::string>("shard")));
  auto nothing = results::Store::open(":memory:", results::Mode::kReadWrite);
  core::RunOutcome outcome;
  {
    Progress progress(models.size());
    outcome = core::make_artifacts(work.plan, models, nothing, work.cache, work.quarantine,
                                   work.how, progress);
  }
  std::cerr << work.plan.run_file.name << ": " << outcome.good << " of " << models.size()
            << " models are in the cache\n";
  if (const auto code = stopped_code(outcome)) return *code;
  return outcome.failed > 0 ? kSomeFailed : kOk;
}

/// What a run goes on with when its store cannot be written.
class Recovery {
 public:
  Recovery(const core::Plan& plan, const core::Cache& cache)
      : plan_(plan),
        file_(cache.root() /
              ("recovery-" + short_key(plan.run_key) + "-" + core::random_name() + ".db")) {}

  results::Store* open(const results::StoreError& e) {
    problem_ = e.problem();
    std::cerr << "conoscope: " << e.what() << "\nstopping; what is running will be saved in "
              << file_.string() << '\n';
    store_ = results::Store::open(file_, results::Mode::kReadWrite);
    core::register_run(plan_, *store_);
    return &*store_;
  }

  const std::filesystem::path& file() const { return file_; }
  /// What has to be done before both stores can be made one.
  std::string_view advice() const {
    switch (problem_) {
      case results::StoreProblem::disk_full:
        return "Make room";
      case results::StoreProblem::busy:
        return "Let what has locked it end";
      default:
        return "Mend that";
    }
  }

 private:
  const core::Plan& plan_;
  std::filesystem::path file_;
  std::optional<results::Store> store_;
  results::StoreProblem problem_ = results::StoreProblem::io;
};

/// Which of the run's cells are to do now; says how many, and what will not fit.
std::vector<std::size_t> cells_to_do(const Options& options, const Work& work,
                                     results::Store& store) {
  const core::Plan& plan = work.plan;
  const auto finished = core::finished_cells(plan, store);
  report_changed_plugins(plan, store, finished);
  const auto todo = options.has("over-seeds") ? std::vector<std::size_t>()
                                              : cells_asked_for(options, work, finished);
  std::cerr << plan.run_file.name << ": " << plan.cells.size() << " cells, " << finished.size()
            << " done, " << todo.size() << " to do now";
  if (!plan.skipped.empty())
    std::cerr << "; " << plan.skipped.size()
              << " combinations do not fit (`conoscope plan` says why)";
  std::cerr << '\n';
  for (const auto& line : core::will_not_fit(plan, todo, store, options.cache()))
    std::cerr << "warning: will not fit: " << line << '\n';
  return todo;
}

/// Compares cells with those of other seeds, where that is asked for and not done yet.
core::RunOutcome score_over_seeds(const Options& options, Work& work, results::Store& store) {
  const auto [to_score, waiting] =
      core::over_seeds_to_do(work.plan, cells_asked_for(options, work, {}), store);
  if (waiting > 0)
    std::cerr << waiting << (waiting == 1 ? " cell waits" : " cells wait")
              << " for other seeds to be compared with\n";
  if (to_score.empty()) return {};
  std::cerr << to_score.size() << (to_score.size() == 1 ? " cell" : " cells")
            << " to compare with other seeds\n";
  ask_for_access(work.plan, options);  // what the cache has lost is made again
  const core::Plan over_seeds = core::plan_over_seeds(work.plan, to_score);
  std::vector<std::size_t> todo(over_seeds.cells.size());
  std::iota(todo.begin(), todo.end(), std::size_t{0});
  Progress progress(todo.size());
  return core::run_cells(over_seeds, todo, store, work.cache, work.quarantine, work.how, progress);
}

/// Runs these cells, then what compares seeds.
core::RunOutcome run_and_compare(const Options& options, Work& work,
                                 const std::vector<std::size_t>& todo, results::Store& store) {
  core::RunOutcome outcome;
  if (!todo.empty()) {
    ask_for_access(work.plan, options);
    Progress progress(todo.size());
    outcome =
        core::run_cells(work.plan, todo, store, work.cache, work.quarantine, work.how, progress);
  }
  // A shard has few of the seeds: who has merged them scores over them.
  if (outcome.signal != 0 || outcome.recovered || work.split.shards != 1) return outcome;
  const auto compared = score_over_seeds(options, work, store);
  if (todo.empty()) {  // else these cells are counted already
    outcome.good = compared.good;
    outcome.not_applicable = compared.not_applicable;
  }
  outcome.failed += compared.failed;
  outcome.signal = compared.signal;
  outcome.recovered = compared.recovered;
  return outcome;
}

void print_counts(const core::RunOutcome& outcome, const Options& options,
                  std::chrono::steady_clock::time_point start) {
  std::cerr << outcome.good << " ok";
  if (outcome.not_applicable > 0) std::cerr << ", " << outcome.not_applicable << " not applicable";
  if (outcome.failed > 0)
    std::cerr << ", " << outcome.failed << " failed (`conoscope status" << options.store_words()
              << "` lists them)";
  std::cerr << " in " << seconds_text(start) << " s\n";
}

/// False: there is nothing to rank.
bool print_leaderboard(const core::Plan& plan, const Options& options, results::Format format,
                       results::Store& store) {
  BoardRequest board;
  board.store_words = options.store_words();
  board.kind = plan.run_file.board;
  board.filters.run = plan.run_key;
  board.format = format;
  for (const auto& explainer : plan.explainers) note_concept_count(explainer.plugin, board);
  if (print_board(store, board)) return true;
  for (const auto& line : plan.skipped) std::cerr << "skipped: " << line << '\n';
  return false;
}

}  // namespace

int run_command(const Arguments& arguments) {
  stop_at_once_outside_jobs();
  const auto start = std::chrono::steady_clock::now();
  Options options(
      "run [FILE] [options]",
      "Does what the run file asks for and is not done yet, records every outcome, and\n"
      "prints the leaderboard. Stopped in any way, the same command continues. FILE is\n"
      "a run file or the name of one that ships; default: quick.toml, or quick_precomputed.toml\n"
      "where nothing can be trained.",
      {"conoscope run", "conoscope run my.toml -j 2",
       "conoscope run my.toml --only explainer=kmeans --only seed=0",
       "conoscope run my.toml --shard 2/8 --store shard2.db",
       "conoscope run quick.toml --from published",
       "conoscope run leakage_causes.toml --profile paper"});
  add_options(options);
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  Work work = work_of(options);
  if (options.has("prepare")) {
    if (options.has("from")) throw UsageError("--from cannot be combined with --prepare");
    return prepare(options, work);
  }

  auto from = open_from(options);  // before there is a store: a mistyped name must not leave one
  results::Store store = results::Store::open(options.store(), results::Mode::kReadWrite);
  core::register_run(work.plan, store);
  if (from) take_from(work.plan, store, *from, options.get<std::string>("from"));
  const auto todo = cells_to_do(options, work, store);
  Recovery recovery(work.plan, work.cache);
  work.how.recover = [&recovery](const results::StoreError& e) { return recovery.open(e); };
  const core::RunOutcome outcome = run_and_compare(options, work, todo, store);
  if (!todo.empty() || outcome.good + outcome.not_applicable + outcome.failed > 0) {
    // What was used within the last hour stays: another run may be at work.
    work.cache.trim(work.plan.run_file.limits.cache,
                    std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) - 3600);
    print_counts(outcome, options, start);
  }
  if (outcome.recovered) {
    std::cerr << "conoscope: " << options.store().string() << " could not be written. "
              << recovery.advice() << ", then: conoscope merge " << recovery.file().string()
              << " --store " << options.store().string() << '\n';
    return kNotSaved;
  }
  if (const auto code = stopped_code(outcome)) return *code;
  if (!options.has("no-board") && !print_leaderboard(work.plan, options, format, store))
    return kSomeFailed;
  return outcome.failed > 0 ? kSomeFailed : kOk;
}

}  // namespace conoscope::app
