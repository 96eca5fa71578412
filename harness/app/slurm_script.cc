// SPDX-License-Identifier: Apache-2.0
#include "harness/app/slurm_script.h"

#include <algorithm>

#include "harness/core/names.h"

namespace conoscope::app {

namespace {

constexpr std::uint64_t kMiB = 1U << 20;
/// For the command itself, beside its workers; at most an eighth of the job's.
constexpr std::uint64_t kOwnMiB = 512;

/// One word of a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// "--mail-type" of "--mail-type=END"
std::string option_name(const std::string& option) {
  return option.substr(0, option.find_first_of("= "));
}

/// How long before its end a job is told to stop: what runs then has 10 s, and its store is saved; but
/// Slurm looks at its clocks once or twice a minute.
std::int64_t seconds_before_end(const std::string& time) {
  constexpr std::int64_t kMost = 300, kUnknown = 120;
  const auto limit = core::slurm_seconds(time);
  return limit ? std::min(kMost, *limit / 4) : kUnknown;
}

class Directives {
 public:
  explicit Directives(const core::SlurmRequest& request) : request_(request) {}

  void add(const std::string& option) {
    if (!core::contains(request_.without, option_name(option))) text_ += "#SBATCH " + option + '\n';
  }
  void add(const std::string& name, const std::string& value) {
    if (!value.empty()) add(name + '=' + value);
  }

  /// All but what the job computes on.
  void place(const std::string& job, const std::string& log) {
    add("--job-name", job);
    add("--output", log);
    add("--open-mode=append");
    add("--nodes=1");
    add("--ntasks=1");
    add("--partition", request_.partition);
    add("--account", request_.account);
    add("--qos", request_.qos);
    add("--constraint", request_.constraint);
    add("--exclude", request_.exclude);
    add("--time", request_.time);
  }

  /// The user's own, which come last: of two that say the same, sbatch takes the later one.
  std::string text() {
    for (const auto& option : request_.sbatch) add(option);
    return text_;
  }

 private:
  const core::SlurmRequest& request_;
  std::string text_;
};

void ask_for_memory(const SlurmScripts& scripts, Directives& out) {
  const auto& request = scripts.request;
  if (!request.mem_per_cpu.empty()) {
    if (request.mem_per_cpu != "none") out.add("--mem-per-cpu", request.mem_per_cpu);
  } else if (!request.mem.empty()) {
    if (request.mem != "none") out.add("--mem", request.mem);
  } else {
    const std::uint64_t workers = std::max(1U, request.cpus / scripts.threads);
    out.add("--mem", std::to_string(workers * (scripts.memory / kMiB) + kOwnMiB) + 'M');
  }
}

/// What every script does first.
std::string beginning(const SlurmScripts& scripts) {
  std::string out =
      "# Written by `conoscope submit slurm`; to send it by hand, do so in its folder.\ncd " +
      quoted(scripts.working_folder.string()) + " || exit 2\n";
  for (const auto& variable : scripts.variables) {
    const std::size_t equals = variable.find('=');
    out +=
        "export " + variable.substr(0, equals) + '=' + quoted(variable.substr(equals + 1)) + '\n';
  }
  for (const auto& line : scripts.request.setup) out += line + '\n';
  return out + "folder=" + quoted(scripts.folder.string()) +
         "\nconoscope=" + quoted(scripts.command.string()) + '\n';
}

// What a task does; `own` is what the command itself may hold, `most` how often it is queued again.
constexpr const char* kTask = R"sh(
task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
echo "task $task, restart ${SLURM_RESTART_COUNT:-0}, on $SLURMD_NODENAME, $(date -u +%FT%TZ)"
[ -d "$cache" ] || { echo "$cache is not on this machine: the cache must be shared"; exit 2; }

cpus=${SLURM_CPUS_PER_TASK:-1}
jobs=$((cpus / threads > 0 ? cpus / threads : 1))
# MiB of this job, where Slurm says how much that is.
memory=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * cpus))}
own=$((memory / 8 < own ? memory / 8 : own))
limit=()
[ "$memory" -gt 0 ] && limit=(--memory $((memory - own)))

trap 'kill -TERM "$child" 2>/dev/null' TERM
"$conoscope" run "$run_file" --frozen "$folder" --cache "$cache" -j "$jobs" "${limit[@]}" \
  "${options[@]}" &
child=$!
while :; do  # wait returns early when the trap has run
  wait "$child"
  code=$?
  kill -0 "$child" 2>/dev/null || break
done
echo "task $task: exit code $code, $(date -u +%FT%TZ)"

# 75: stopped, and the same command continues. A task that somebody cancelled stays so.
if [ "$code" = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$most" ]; then
  case $(squeue --noheader --jobs="$task" --format=%T 2>/dev/null) in
    RUNNING | "")
      trap '' TERM  # which the requeue sends
      scontrol requeue "$task"
      ;;
  esac
fi
exit "$code"
)sh";

constexpr const char* kShard = " --shard \"$SLURM_ARRAY_TASK_ID/$shards\"";

/// A task of an array that runs `conoscope run` and continues it as often as it takes.
///
/// options  of `run`, as words of the shell
std::string task_script(const SlurmScripts& scripts, const std::string& what, std::string options) {
  const auto& request = scripts.request;
  Directives directives(request);
  directives.place("conoscope-" + scripts.name, "log/" + what + "-%a.log");
  directives.add("--requeue");
  directives.add("--signal=B:TERM@" + std::to_string(seconds_before_end(request.time)));
  directives.add("--cpus-per-task=" + std::to_string(request.cpus));
  directives.add("--gres", request.gres);
  ask_for_memory(scripts, directives);
  for (const auto& word : scripts.run_options) options += ' ' + quoted(word);
  return "#!/bin/bash\n" + directives.text() + beginning(scripts) +
         "run_file=" + quoted(scripts.run_file.string()) +
         "\ncache=" + quoted(scripts.cache.string()) +
         "\nshards=" + std::to_string(scripts.shards) +
         "\nthreads=" + std::to_string(scripts.threads) + "\nown=" + std::to_string(kOwnMiB) +
         "\nmost=100\noptions=(" + options + ")\n" + kTask;
}

}  // namespace

std::string prepare_script(const SlurmScripts& scripts) {
  return task_script(scripts, "prepare", std::string("--prepare") + kShard);
}

std::string cells_script(const SlurmScripts& scripts) {
  return task_script(
      scripts, "cells",
      "--no-board --store \"$folder/shard-$SLURM_ARRAY_TASK_ID.db\"" + std::string(kShard));
}

std::string merge_script(const SlurmScripts& scripts) {
  Directives directives(scripts.request);
  directives.place("conoscope-" + scripts.name + "-merge", "log/merge.log");
  if (scripts.request.mem != "none" && scripts.request.mem_per_cpu != "none")
    directives.add("--mem=1G");
  return "#!/bin/bash\n" + directives.text() + beginning(scripts) +
         "store=" + quoted(scripts.store.string()) + "\nrun=" + quoted(scripts.run_key) + R"sh(
shopt -s nullglob
shards=("$folder"/shard-*.db)
[ ${#shards[@]} -gt 0 ] || { echo "no shard has a store: see $folder/log"; exit 4; }
"$conoscope" merge "${shards[@]}" --store "$store" || exit
"$conoscope" status "$run" --store "$store"
)sh";
}

std::string over_seeds_script(const SlurmScripts& scripts) {
  return task_script(scripts, "over_seeds",
                     "--over-seeds --no-board --store " + quoted(scripts.store.string()));
}

std::string array_text(const std::vector<std::size_t>& tasks, std::uint32_t max_running) {
  std::string out;
  for (std::size_t i = 0; i < tasks.size();) {
    std::size_t last = i;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(tasks[i]);
    if (last > i) out += '-' + std::to_string(tasks[last]);
    i = last + 1;
  }
  return max_running > 0 ? out + '%' + std::to_string(max_running) : out;
}

}  // namespace conoscope::app
