// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <set>

#include "harness/app/command.h"
#include "harness/app/default_run.h"
#include "harness/app/folders.h"
#include "harness/app/options.h"
#include "harness/app/plugin_access.h"
#include "harness/app/print_split.h"
#include "harness/app/selection.h"
#include "harness/app/shared_storage.h"
#include "harness/app/slurm_client.h"
#include "harness/app/slurm_script.h"
#include "harness/app/store_options.h"
#include "harness/app/submission.h"
#include "harness/app/text_file.h"
#include "harness/core/artifacts/cache.h"
#include "harness/core/plan/over_seeds.h"
#include "harness/core/processes/confinement.h"
#include "harness/core/run/peers.h"
#include "harness/core/run/registration.h"
#include "results/boards/status.h"

namespace conoscope::app {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

void add_request_options(Options& options) {
  const auto number = [&](const char* name, const char* help) {
    options.add()(name, po::value<std::uint32_t>()->value_name("N"), help);
  };
  number("shards", "how many parts the run is split into: one array task each (default: 8)");
  options.text("partition", "NAME", "where the jobs run");
  options.text("account", "NAME", "whom they are charged to");
  options.text("qos", "NAME", "their quality of service");
  options.text("time", "T", "of one task, as 04:00:00; it goes on in the next one");
  options.text("mem", "SIZE", "of one task, or none (default: limits.memory for each worker)");
  options.text("mem-per-cpu", "SIZE", "instead of --mem");
  number("cpus", "of one task, which runs as many workers as that allows (default: 1)");
  options.text("gres", "LIST", "what else a task needs, as gpu:1");
  options.text("constraint", "LIST", "which features its node must have");
  options.text("exclude", "NODES", "which nodes to keep off");
  number("max-running", "how many tasks at a time at most");
  options.texts("setup", "LINE",
                "a line of shell before the command, as 'module load gcc'; repeatable");
  options.texts("sbatch", "OPTION",
                "another option of sbatch, as --sbatch=--mail-type=END; repeatable");
  options.texts("without", "OPTION", "leave this one out, as --without=--requeue; repeatable");
}

/// The run file's [slurm], with what the command line says in its place.
/// throws  UsageError: a value that cannot stand in a job script
core::SlurmRequest request_of(const core::RunFile& run_file, const Options& options) {
  core::SlurmRequest out = core::read_slurm_request(run_file);
  const auto option = [](const std::string& name) { return "--" + name + ": "; };
  for (const auto& [name, target] :
       {std::pair{"partition", &out.partition}, std::pair{"account", &out.account},
        std::pair{"qos", &out.qos}, std::pair{"time", &out.time}, std::pair{"mem", &out.mem},
        std::pair{"mem-per-cpu", &out.mem_per_cpu}, std::pair{"gres", &out.gres},
        std::pair{"constraint", &out.constraint}, std::pair{"exclude", &out.exclude}})
    if (options.has(name)) {
      *target = options.get<std::string>(name);
      if (!core::is_slurm_value(*target))
        throw UsageError(option(name) + std::string(core::kSlurmValue));
    }
  if (options.has("mem") && options.has("mem-per-cpu"))
    throw UsageError("--mem and --mem-per-cpu: one of them");
  if (options.has("mem")) out.mem_per_cpu.clear();
  if (options.has("mem-per-cpu")) out.mem.clear();
  if (!out.time.empty() && !core::slurm_seconds(out.time))
    throw UsageError("--time " + out.time + ": " + std::string(core::kSlurmTime));
  for (const auto& [name, target] : {std::pair{"shards", &out.shards}, std::pair{"cpus", &out.cpus},
                                     std::pair{"max-running", &out.max_running}})
    if (options.has(name)) {
      *target = options.get<std::uint32_t>(name);
      if (*target < 1 || *target > core::kMostShards)
        throw UsageError(option(name) + "expected a whole number from 1 to " +
                         std::to_string(core::kMostShards));
    }
  for (const auto& [name, target] :
       {std::pair{"setup", &out.setup}, std::pair{"sbatch", &out.sbatch},
        std::pair{"without", &out.without}})
    for (const auto& line : options.list(name)) {
      if (!core::is_script_line(line)) throw UsageError(option(name) + "expected one line");
      if (target != &out.setup && line[0] != '-')
        throw UsageError(option(name) + std::string(core::kSlurmOption));
      target->push_back(line);
    }
  return out;
}

/// How far a shard is, by its own store.
struct ShardState {
  std::int64_t cells = 0, done = 0, failed = 0;
  bool finished() const { return done == cells; }
};

std::vector<ShardState> states_of(const core::Plan& plan, const core::Split& split,
                                  const Submission& submission) {
  std::vector<ShardState> out(split.shards);
  for (const std::size_t shard : split.shard_of)
    if (shard != core::Split::kNone) ++out[shard].cells;
  for (std::size_t shard = 0; shard < split.shards; ++shard) {
    const auto file = submission.store(shard + 1);
    if (std::error_code error; out[shard].cells == 0 || !fs::exists(file, error)) continue;
    auto store = results::Store::open(file, results::Mode::kReadOnly);
    const auto finished = core::finished_cells(plan, store);
    for (std::size_t i = 0; i < plan.cells.size(); ++i)
      out[shard].done += split.shard_of[i] == shard && finished.count(plan.cells[i].key) != 0;
    const auto runs = store.runs();
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const auto& run) { return run.key == plan.run_key; }))
      out[shard].failed =
          static_cast<std::int64_t>(results::status(store, plan.run_key).failures.rows.size());
  }
  return out;
}

/// The jobs of these submissions that wait or run.
std::vector<QueuedTask> queued_of(const std::vector<QueuedTask>& queue,
                                  const std::vector<Submission>& submissions,
                                  const std::string& what = "") {
  std::set<std::string> ids;
  for (const auto& submission : submissions)
    for (const auto& job : submission.jobs())
      if (what.empty() || job.what == what) ids.insert(job.id);
  std::vector<QueuedTask> out;
  for (const auto& task : queue)
    if (ids.count(task.job) != 0) out.push_back(task);
  return out;
}

void print_states(const std::vector<ShardState>& states, const Submission& submission,
                  results::Format format) {
  std::map<std::string, std::string> queued;
  if (const auto queue = queued_tasks())
    for (const auto& task : queued_of(*queue, {submission}, "cells"))
      queued[task.task] = task.state;
  else
    std::cerr << "squeue does not answer; this is what the stores say\n";
  results::Table table{{{"shard"}, {"cells"}, {"done"}, {"failed"}, {"queue"}, {"log"}}, {}};
  for (const std::size_t column : {0, 1, 2, 3})
    table.columns[column].type = results::ColumnType::kInteger;
  for (std::size_t shard = 0; shard < states.size(); ++shard) {
    const ShardState& state = states[shard];
    const std::string number = std::to_string(shard + 1);
    const auto log = submission.folder / "log" / ("cells-" + number + ".log");
    std::error_code error;
    table.add({static_cast<std::int64_t>(shard + 1), state.cells, state.done, state.failed,
               queued.count(number) != 0 ? results::Field(queued[number]) : results::Field(),
               fs::exists(log, error) ? results::Field(log.string()) : results::Field()});
  }
  std::cout << results::to_text(table, format);
}

/// The shards' tasks of a first array: of the models that several of them need and that the cache
/// lacks.
std::vector<std::size_t> tasks_to_prepare(const core::Plan& plan, const core::Split& split,
                                          const fs::path& cache, bool confined) {
  std::set<std::size_t> tasks;
  if (split.shards == 1) return {};
  const auto models = shared_models(plan, split, {1, 1});
  for (std::size_t i = 0; i < models.size(); ++i)  // the shards take turns, as in shared_models()
    if (const auto& key = plan.nodes[models[i]].key;
        confined ? !core::Cache::is_confined(cache, key) : !core::Cache::has(cache, key))
      tasks.insert(i % split.shards + 1);
  return {tasks.begin(), tasks.end()};
}

/// Storage that only this machine sees, a line each.
std::vector<std::string> storage_faults(const Options& options, const fs::path& parent,
                                        const fs::path& run_file) {
  std::vector<std::string> out;
  for (const auto& [what, path] :
       {std::pair<std::string, fs::path>{"the cache (--cache)", options.cache()},
        {"the store (--store)", options.store()},
        {"the shards' stores (--folder)", parent},
        {"the run file", run_file},
        {"the command", own_executable()}})
    if (const auto why = not_shared(path); !why.empty())
      out.push_back(what + ' ' + fs::absolute(path).string() + ": " + why);
  return out;
}

/// What is left of a run, and the submission that it goes on with, if there is one.
struct Work {
  std::optional<Submission> submission;
  core::Split split;
  std::vector<std::size_t> shards;  ///< those that are not finished, from 1
};

/// An earlier submission goes on while all that it was made from is the same; else what is to do is
/// split anew.
///
/// todo  cells that --store lacks, in the plan's order
Work work_of(const core::Plan& plan, const std::vector<std::size_t>& todo,
             const std::vector<Submission>& earlier, std::uint32_t shards,
             const std::vector<double>& weights) {
  Work out;
  if (!earlier.empty()) {
    const Submission& last = earlier.back();
    if (const auto what = last.changed(plan); !what.empty()) {
      std::cerr << last.folder.string() << ": " << what
                << " has changed since; what is left is split anew\n";
    } else {
      out.submission = last;
      out.split = last.split(plan);
      const auto states = states_of(plan, out.split, last);
      for (std::size_t shard = 0; shard < states.size(); ++shard)
        if (!states[shard].finished()) out.shards.push_back(shard + 1);
      // Its cells are done, and others are not.
      const bool of_others =
          out.shards.empty() && !todo.empty() && std::ranges::all_of(todo, [&](std::size_t cell) {
            return out.split.shard_of[cell] == core::Split::kNone;
          });
      if (!of_others) return out;
    }
  }
  out = Work();
  if (todo.empty()) return out;
  out.split = core::split_cells(plan, todo, shards, weights);
  std::set<std::size_t> used;
  for (const std::size_t cell : todo) used.insert(out.split.shard_of[cell] + 1);
  out.shards.assign(used.begin(), used.end());
  out.split.shards = out.shards.back();  // shards without work are not there
  return out;
}

SlurmScripts scripts_of(const core::Plan& plan, const Work& work, const core::SlurmRequest& request,
                        const Options& options, const fs::path& file, const fs::path& parent) {
  SlurmScripts scripts;
  scripts.request = request;
  scripts.name = plain_name(plan);
  scripts.run_key = plan.run_key;
  scripts.shards = work.split.shards;
  scripts.threads = plan.run_file.limits.threads;
  scripts.memory = plan.run_file.limits.memory;
  scripts.working_folder = fs::current_path();
  scripts.folder = work.submission ? work.submission->folder : parent / (scripts.name + "-TIME");
  scripts.command = own_executable();
  scripts.run_file = fs::absolute(file);
  scripts.cache = fs::absolute(options.cache());
  scripts.store = fs::absolute(options.store());
  scripts.variables = own_variables();
  const auto pass_on = [&](const std::string& name, const std::string& value) {
    scripts.run_options.insert(scripts.run_options.end(), {"--" + name, value});
  };
  if (!plan.run_file.profile.empty()) pass_on("profile", plan.run_file.profile);
  for (const auto& folder : options.plugin_path())
    pass_on("plugin-path", fs::absolute(folder).string());
  pass_on("confine", options.get<std::string>("confine"));
  return scripts;
}

/// A job that is to be sent, after all those before it.
struct Step {
  std::string what, script;
  std::vector<std::string> options;
};

std::vector<Step> steps_of(const core::Plan& plan, const Work& work, const SlurmScripts& scripts,
                           bool confined) {
  std::vector<Step> steps;
  const auto array = [&](const std::vector<std::size_t>& tasks) -> std::vector<std::string> {
    return {"--array=" + array_text(tasks, scripts.request.max_running)};
  };
  if (!work.shards.empty()) {
    if (const auto tasks = tasks_to_prepare(plan, work.split, scripts.cache, confined);
        !tasks.empty())
      steps.push_back({"prepare", prepare_script(scripts), array(tasks)});
    steps.push_back({"cells", cells_script(scripts), array(work.shards)});
  }
  steps.push_back({"merge", merge_script(scripts), {}});
  if (!core::peers_of_cells(plan).empty())
    steps.push_back({"over_seeds", over_seeds_script(scripts), array({1})});
  return steps;
}

std::string line_of(const Step& step) {
  std::string out = "sbatch --parsable";
  for (const auto& option : step.options) out += ' ' + option;
  return out + ' ' + step.what + ".sbatch";
}

/// Hands the jobs over, each waiting for the end of the one before; all or none. What cannot be taken
/// back is named.
void send(const Submission& submission, const std::vector<Step>& steps) {
  std::vector<std::string> ids;
  for (const Step& step : steps)
    write_text(submission.folder / (step.what + ".sbatch"), step.script);
  try {
    for (const Step& step : steps) {
      auto options = step.options;
      if (!ids.empty()) options.push_back("--dependency=afterany:" + ids.back());
      ids.push_back(submit_job(submission.folder / (step.what + ".sbatch"), options));
      submission.add_job({step.what, ids.back()});
      std::cout << step.what << ": job " << ids.back() << '\n';
    }
  } catch (...) {
    for (const auto& id : ids)
      if (const std::string why = cancel_job(id); !why.empty())
        std::cerr << "warning: job " << id << " is still queued (scancel: " << why << "): `scancel "
                  << id << "` takes it back\n";
    throw;
  }
}

void add_options(Options& options) {
  options.positional("file", 1);
  options.with_store();
  options.with_plugins();
  options.with_profile();
  add_request_options(options);
  options.text("folder", "DIR", "where submissions are kept, each in a folder of its own", "slurm");
  options.flag("new", "split what is left anew, although a submission could be continued");
  options.flag("status", "how far each shard is, by its store, and what squeue says of it");
  options.flag("dry-run", "print what would be sent, and send nothing");
  options.flag("print", "print the job scripts, and send nothing");
  options.flag("one-machine", "do not insist on storage that other machines see");
  options.with_confinement();
  options.with_format();
}

/// --status
void print_status(const core::Plan& plan, const std::vector<Submission>& earlier,
                  const fs::path& parent, results::Format format) {
  if (earlier.empty())
    throw UsageError(plan.run_file.name + ": was not submitted from " + parent.string());
  const auto& last = earlier.back();
  std::cerr << last.folder.string() << '\n';
  print_states(states_of(plan, last.split(plan), last), last, format);
}

/// Jobs run where these folders and files have to be seen. A warning is enough where nothing is sent.
void require_shared_storage(const Options& options, const fs::path& parent, const fs::path& file,
                            bool only_look) {
  std::string faults;
  for (const auto& fault : storage_faults(options, parent, file)) faults += "\n  " + fault;
  if (!faults.empty() && !only_look)
    throw UsageError("other machines will not see" + faults +
                     "\n--one-machine if the cluster is this machine alone");
  if (!faults.empty()) std::cerr << "warning: other machines will not see" << faults << '\n';
}

/// throws  UsageError: no Slurm here, or jobs of this run are queued already
void require_idle_slurm(const core::Plan& plan, const std::vector<Submission>& earlier) {
  if (!on_path("sbatch"))
    throw UsageError(
        "sbatch is not on PATH: this machine cannot submit to Slurm (--dry-run, --print)");
  const auto queue = queued_tasks();
  if (!queue) throw UsageError("squeue does not answer: jobs of this run may be queued already");
  if (const auto tasks = queued_of(*queue, earlier); !tasks.empty())
    throw UsageError(plan.run_file.name + ": job " + tasks[0].job + " is still " + tasks[0].state +
                     ": wait for it, or `scancel` it (--status shows all)");
}

/// Says so where every cell is done; false: something is to be sent.
bool print_done(const core::Plan& plan, const Work& work, results::Store& store) {
  std::vector<std::size_t> cells(plan.cells.size());
  std::iota(cells.begin(), cells.end(), std::size_t{0});
  const auto to_compare = core::over_seeds_to_do(plan, cells, store).to_score.size();
  if (to_compare > 0 && work.submission) return false;
  std::cout << plan.run_file.name << ": all " << plan.cells.size() << " cells are done\n";
  if (to_compare > 0)
    std::cout << to_compare
              << " still to be compared with other seeds: `conoscope run --over-seeds` does that\n";
  return true;
}

}  // namespace

int submit_slurm_command(const Arguments& arguments) {
  Options options(
      "submit slurm [FILE] [options]",
      "Hands a run to a Slurm cluster: an array of jobs, each with a part of the cells and a\n"
      "store of its own, a job that merges them, and one for metrics over seeds. The same\n"
      "command again sends the parts that are not finished. What jobs ask for stands in the\n"
      "run file's [slurm] or here. FILE as for `conoscope run`.",
      {"conoscope submit slurm my.toml --shards 4 --dry-run",
       "conoscope submit slurm my.toml --time 04:00:00 --cpus 4 --print"});
  add_options(options);
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  options.confine();
  const auto file =
      options.has("file") ? find_run_file(options.list("file")[0]) : default_run_file(options);
  const core::Plan plan = load_plan(file, options);
  const auto request = request_of(plan.run_file, options);
  const fs::path parent = fs::absolute(options.get<std::string>("folder"));
  const fs::path cache = fs::absolute(options.cache()), all = fs::absolute(options.store());
  const bool only_look = options.has("dry-run") || options.has("print");

  auto earlier = submissions(plan, parent);
  if (options.has("status")) {
    print_status(plan, earlier, parent, format);
    return kOk;
  }
  if (!options.has("one-machine")) require_shared_storage(options, parent, file, only_look);
  if (!only_look) require_idle_slurm(plan, earlier);

  auto store = open_or_empty(all);
  const auto seconds = store.median_seconds();
  const auto finished = core::finished_cells(plan, store);
  const auto todo = select_cells(plan, finished, {}, "");

  Work work = work_of(plan, todo, options.has("new") ? std::vector<Submission>() : earlier,
                      request.shards, core::cell_weights(plan, seconds));
  if (work.shards.empty() && todo.empty() && print_done(plan, work, store)) return kOk;
  if (!only_look) {
    make_folder(cache);
    ask_for_access(plan, options);  // nobody is there to answer when the jobs run
    if (!work.submission) work.submission = freeze(plan, work.split, parent);
  }

  const SlurmScripts scripts = scripts_of(plan, work, request, options, file, parent);
  const auto steps = steps_of(plan, work, scripts, options.confine() && core::can_confine());

  std::int64_t left = 0;
  for (const std::size_t shard : work.split.shard_of)
    left += std::binary_search(work.shards.begin(), work.shards.end(), shard + 1);
  std::cerr << plan.run_file.name << ": " << plan.cells.size() << " cells, " << left << " in "
            << work.shards.size() << " shards to do\n";
  if (options.has("dry-run")) {
    print_split(plan, work.split, todo, seconds, format);
    for (const Step& step : steps) std::cout << line_of(step) << '\n';
  }
  if (options.has("print"))
    for (const Step& step : steps)
      std::cout << "# " << line_of(step) << '\n' << step.script << '\n';
  if (only_look) return kOk;
  send(*work.submission, steps);
  std::cerr << work.submission->folder.string()
            << "; `conoscope submit slurm ... --status` says how far\n";
  return kOk;
}

}  // namespace conoscope::app
