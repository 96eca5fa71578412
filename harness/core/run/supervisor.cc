// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/interpreter.h"
#include "harness/core/border/provenance.h"
#include "harness/core/names.h"
#include "harness/core/plan/work_graph.h"
#include "harness/core/processes/confinement.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/worker_process.h"
#include "harness/core/run/made_elsewhere.h"
#include "harness/core/run/quarantine_policy.h"
#include "harness/core/run/recorder.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/stop_signals.h"

namespace conoscope::core {

namespace {

using results::Status;
using Clock = std::chrono::steady_clock;

// What a worker that was told to stop has left.
constexpr double kGraceSeconds = 10;

/// A node whose worker runs.
struct Running {
  std::size_t node = 0;
  std::filesystem::path work;
  std::unique_ptr<WorkerProcess> worker;
};

/// A job has three artifacts, or as many for each seed, and a disk that damages more is broken.
constexpr std::uint32_t kDamagedInputs = 3;

// How long nothing is started after a job could not start a process or a thread, for the user has as
// many as he may: so long the first time, twice the second, ... And how often at most a job is put off
// for it.
constexpr std::chrono::milliseconds kUntilNextStart{250};
constexpr std::uint32_t kPutOff = 20;

class Supervisor {
 public:
  Supervisor(const Plan& plan, const std::vector<std::size_t>& todo, results::Store& store,
             const Cache& cache, Quarantine& quarantine, const RunOptions& options,
             RunObserver& observer)
      : plan_(plan),
        todo_(todo),
        cache_(cache),
        quarantine_(quarantine),
        options_(options),
        observer_(observer),
        ends_(plan.nodes.size()),
        recorder_(plan, store, cache, options, ends_),
        tries_(plan.nodes.size(), 0),
        dependents_(plan.nodes.size()),
        confines_(options.confine && can_confine()) {
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
      for (const std::size_t need : plan_.nodes[i].needs) dependents_[need].push_back(i);
    asked_.insert(todo.begin(), todo.end());
  }

  ~Supervisor() {
    for (auto& running : running_) {
      running.worker.reset();
      remove_tree(running.work);
    }
    for (const auto& folder : idle_folders_) remove_tree(folder);
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  RunOutcome run() {
    std::vector<std::size_t> scores, without_work;
    for (const std::size_t cell : todo_) {
      const std::size_t before = scores.size();
      for (const std::size_t node : plan_.cells[cell].score_nodes)
        if (is_to_score(node)) scores.push_back(node);
      if (scores.size() == before) without_work.push_back(cell);
    }
    make(scores);
    for (const std::size_t cell : without_work) record(cell);  // nothing applies
    outcome_.signal = finished_ < todo_.size() ? StopSignals::last() : 0;
    outcome_.recovered = recorder_.recovered();
    return outcome_;
  }

  RunOutcome make_artifacts(const std::vector<std::size_t>& nodes) {
    make(nodes);
    for (const std::size_t node : nodes) {
      if (ends_.state[node] == State::kDone)
        ++outcome_.good;
      else if (ends_.state[node] != State::kFailed)
        outcome_.signal = StopSignals::last();
      else {
        ++outcome_.failed;
        observer_.message(plan_.nodes[node].label + ": " + ends_.end[node].stage + ": " +
                          ends_.end[node].message);
      }
    }
    outcome_.recovered = recorder_.recovered();
    return outcome_;
  }

 private:
  void make(const std::vector<std::size_t>& nodes) {
    const StopSignals signals;
    recorder_.begin();
    declare_use(nodes);
    for (const std::size_t node : nodes) want(node);
    order_queue();
    refresh_all();  // refused plugins fail before anything runs, each with its reason
    bool announced = false;
    while (true) {
      if (StopSignals::last() != 0 && !announced) {
        announced = true;
        observer_.message("stopping: waiting for " + std::to_string(running_.size()) +
                          " running job(s); once more to stop at once");
        // A batch system kills what is left some 30 s after its SIGTERM; a person can wait.
        if (StopSignals::last() == SIGTERM)
          for (const auto& running : running_) running.worker->stop(kGraceSeconds);
      }
      if (StopSignals::count() > 1) break;  // ~Running kills what still runs
      const bool goes_on = StopSignals::last() == 0 && !recorder_.recovered();
      if (goes_on) launch();
      if (running_.empty() && !(goes_on && !queue_->empty())) break;
      wait();
    }
  }

  bool is_to_score(std::size_t i) {
    const Node& node = plan_.nodes[i];
    return node.metrics.empty() || !recorder_.scores_to_give(node).empty();
  }

  /// Before it is seen what is there: what is there then stays.
  void declare_use(const std::vector<std::size_t>& nodes) {
    std::vector<std::string> keys;
    for (const Node& node : plan_.nodes)
      if (node.stage != Stage::kScore) keys.push_back(node.key);
    if (!nodes.empty()) cache_.declare_use(keys);
  }

  /// Marks a node and what it needs as work to do; what the cache has is not.
  void want(std::size_t i) {
    if (ends_.state[i] != State::kIdle) return;
    const Node& node = plan_.nodes[i];
    if (node.stage != Stage::kScore && cache_.has(node.key)) {
      const std::string maker = cache_.made_by(node.key);
      if (maker.empty()) {
        observer_.message(made_again(node, "damaged_artifact",
                                     cache_.path_of(node.key).string() +
                                         ": what it says of its making is not what was written"));
        cache_.discard(node.key);
      } else if (confines_ && !cache_.is_confined(node.key)) {
        say_unconfined(node);
      } else {
        cache_.touch(node.key);
        recorder_.made_elsewhere(i, lines_of_elsewhere(maker, made_by(node)));
        ends_.state[i] = State::kDone;
        return;
      }
    } else if (node.stage != Stage::kScore) {
      say_made_otherwise(node);
    }
    ends_.state[i] = State::kWaiting;
    for (const std::size_t need : node.needs) want(need);
  }

  void refresh_all() {
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
      if (ends_.state[i] == State::kWaiting) refresh(i);
  }

  void order_queue() {
    std::vector<bool> to_do;
    for (const State state : ends_.state) to_do.push_back(state == State::kWaiting);
    queue_.emplace(plan_, recorder_.store().median_seconds(), to_do, options_.jobs);
  }

  /// A waiting node becomes ready, or fails because of what it needs or of its own plugin.
  void refresh(std::size_t i) {
    const Node& node = plan_.nodes[i];
    bool ready = true;
    for (const std::size_t need : node.needs) {
      if (ends_.state[need] == State::kFailed) {
        JobEnd end = ends_.end[need];
        end.scores.clear();
        return fail(i, std::move(end));
      }
      ready = ready && ends_.state[need] == State::kDone;
    }
    std::string refusal = refusal_of(node.component);
    // These answer while the cell is scored, also where the cache has what they have made.
    if (refusal.empty() && node.stage == Stage::kScore) {
      refusal = refusal_of(plan_.cells[node.cell].model);
      if (refusal.empty()) refusal = refusal_of(plan_.cells[node.cell].explainer);
    }
    if (refusal.empty()) refusal = refusal_of(node.called);
    if (refusal.empty()) refusal = refusal_of(node.redrawn);
    if (!refusal.empty()) {
      JobEnd end;
      end.status = Status::failed;
      end.stage = std::string(to_string(node.stage)) + ": load";
      end.message = refusal;
      return fail(i, std::move(end));
    }
    if (!ready) return;
    ends_.state[i] = State::kReady;
    queue_->push(i);
  }

  /// Why a plugin must not be loaded; empty: it may.
  std::string refusal_of(const Component* component) const {
    if (component == nullptr) return "";
    if (!component->plugin.refusal.empty()) return component->plugin.refusal;
    const auto reason = quarantine_.reason(component->plugin.sha256);
    if (!reason.empty()) return component->plugin.file.string() + ": in quarantine: " + reason;
    try {
      runtime_text(component->plugin);
    } catch (const std::runtime_error& e) {
      return component->plugin.file.string() + ": " + e.what();
    }
    return "";
  }

  void fail(std::size_t i, JobEnd end) {
    // The parts of the score that it was sending may not all have come.
    const bool said_why = end.status == Status::failed || end.status == Status::invalid_output ||
                          end.status == Status::not_applicable;
    if (!said_why && !end.scores.empty()) {
      std::erase_if(end.parts, [last = end.scores.back().metric](const auto& part) {
        return part.metric == last;
      });
      end.scores.pop_back();
    }
    finish_node(i, State::kFailed, std::move(end));
  }

  void record(std::size_t index) {
    const CellEnd told = recorder_.record(index);
    // Nothing needs a score: nobody asks for these again, and a long run has many.
    for (const std::size_t node : plan_.cells[index].score_nodes) ends_.end[node] = {};
    ++finished_;
    if (told.status == Status::ok)
      ++outcome_.good;
    else if (told.status == Status::not_applicable)
      ++outcome_.not_applicable;
    else
      ++outcome_.failed;
    observer_.cell_finished(told, finished_, todo_.size());
  }

  /// Tells whoever waits for the node; records its cell when that was the last of its scores.
  void finish_node(std::size_t i, State state, JobEnd end) {
    queue_->drop(i);  // what it needs may have failed
    ends_.state[i] = state;
    ends_.end[i] = std::move(end);
    for (const std::size_t next : dependents_[i])
      if (ends_.state[next] == State::kWaiting) refresh(next);
    if (plan_.nodes[i].stage != Stage::kScore) return;
    const std::size_t index = plan_.nodes[i].cell;
    const auto& scores = plan_.cells[index].score_nodes;
    const bool ended = std::all_of(scores.begin(), scores.end(), [this](std::size_t node) {
      return ends_.state[node] == State::kDone || ends_.state[node] == State::kFailed ||
             ends_.state[node] == State::kIdle;  // known already
    });
    if (ended && asked_.count(index) != 0) record(index);
  }

  void launch() {
    while (running_.size() < options_.jobs && !queue_->empty() && Clock::now() >= next_start_)
      start(queue_->pop());
  }

  /// For a job that could not start a process or a thread: later it may, when others have ended.
  /// False: it has been put off long enough.
  bool put_off(std::size_t i, const std::string& why) {
    if (StopSignals::last() != 0 || put_off_[i] == kPutOff) return false;
    if (put_off_[i]++ == 0)
      observer_.message(plan_.nodes[i].label + ": " + why +
                        ": the user has as many processes and threads as he may (ulimit -u); it "
                        "waits until there are fewer");
    next_start_ = Clock::now() + kUntilNextStart * put_off_[i];
    --tries_[i];
    ends_.state[i] = State::kReady;
    queue_->push(i);
    return true;
  }

  static PluginUse use_of(const Component& component) {
    return core::use_of(component.plugin, component.values, component.inputs);
  }

  void start(std::size_t i) {
    const Node& node = plan_.nodes[i];
    Job job;
    job.stage = node.stage;
    job.label = node.label;
    job.seed = node.seed;
    job.threads = plan_.run_file.limits.threads;
    job.memory = options_.foreground ? 0 : plan_.run_file.limits.memory;
    job.repeat = options_.repeat;
    job.hashed_files = cache_.hashed_files();
    job.arrays = cache_.arrays();
    job.sample_scores = plan_.run_file.sample_scores;
    if (node.component != nullptr) job.plugin = use_of(*node.component);
    if (node.stage != Stage::kScore) job.made_by = made_by(node);
    // A node's own inputs come before those of its peers.
    for (const std::size_t need : node.needs) {
      const Stage stage = plan_.nodes[need].stage;
      auto& input = stage == Stage::kDataset ? job.dataset
                    : stage == Stage::kModel ? job.model_folder
                                             : job.explanation;
      if (input.empty()) input = cache_.path_of(plan_.nodes[need].key);
    }
    for (const PeerNodes& peer : node.peers)
      job.peers.push_back({cache_.path_of(plan_.nodes[peer.model].key),
                           cache_.path_of(plan_.nodes[peer.explanation].key), peer.control_seed,
                           peer.seed});
    if (node.called != nullptr) job.model = use_of(*node.called);
    job.calls = node.calls;
    if (node.redrawn != nullptr) job.redrawn = use_of(*node.redrawn);
    job.control = node.control;
    job.control_seed = node.control_seed;
    if (node.stage == Stage::kScore) {
      const Cell& cell = plan_.cells[node.cell];
      job.control = cell.control;
      job.control_seed = cell.control_seed;
      job.model = use_of(*cell.model);
      if (cell.explainer != nullptr) job.explainer = use_of(*cell.explainer);
      // A plugin gives all of its scores in one call.
      job.metrics = node.component == nullptr ? recorder_.scores_to_give(node) : node.metrics;
    }
    ends_.state[i] = State::kRunning;
    ++tries_[i];
    recorder_.costs().started(i, now_text());
    Running running;
    running.node = i;
    try {
      running.work = take_work_folder();
      job.work = running.work;
      const Limits& limits = plan_.run_file.limits;
      running.worker =
          std::make_unique<WorkerProcess>(job, WorkerLimits{.seconds = limits.seconds,
                                                            .memory = limits.memory,
                                                            .disk = limits.cache,
                                                            .confine = options_.confine,
                                                            .foreground = options_.foreground,
                                                            .debugger = options_.debugger});
    } catch (const std::exception& e) {
      // A full disk, no more processes: this job's failure, not the end of the run.
      if (!running.work.empty()) remove_tree(running.work);
      const auto* error = dynamic_cast<const std::system_error*>(&e);
      if (error != nullptr && error->code() == std::errc::resource_unavailable_try_again &&
          put_off(i, e.what()))
        return;
      JobEnd end;
      end.status = Status::failed;
      end.stage = std::string(to_string(node.stage)) + ": start";
      end.message = e.what();
      return fail(i, std::move(end));
    }
    running_.push_back(std::move(running));
  }

  /// Sleeps until something happens, then takes in everything that did.
  void wait() {
    std::vector<pollfd> fds;
    for (const auto& running : running_)
      if (running.worker->open()) fds.push_back({running.worker->report_fd(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), 50);
    for (std::size_t r = 0; r < running_.size();) {
      auto end = running_[r].worker->pump();
      if (!end) {
        ++r;
        continue;
      }
      finish(running_[r], std::move(*end));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(r));
    }
    std::vector<std::pair<std::string, double>> now;
    for (const auto& running : running_)
      now.emplace_back(plan_.nodes[running.node].label, running.worker->progress());
    observer_.tick(now);
    cache_.keep_alive();
  }

  /// Standard output is the command's own; the cell counts all the same.
  void report_noise(const Node& node, const JobEnd& end) {
    const std::string text = node.label + ": wrote " + std::to_string(end.stdout_bytes) +
                             " bytes to standard output (" + end.stage + ")";
    observer_.message(text);
    recorder_.add_event("standard_output", text);
  }

  void finish(Running& running, JobEnd end) {
    const std::size_t i = running.node;
    const Node& node = plan_.nodes[i];
    if (end.stdout_bytes > 0) report_noise(node, end);
    running.worker.reset();  // and whatever the worker may have started: the folder is ours again
    if (end.status == Status::ok && node.stage != Stage::kScore) try {
        cache_.commit(running.work, node.key, end.log, confines_);
        recorder_.made_here(i);
      } catch (const SharedArrayGone& e) {
        end.exit_code = kDamagedInputExit;
        end.status = Status::failed;
        end.message = e.what();
      } catch (const std::exception& e) {
        end.status = Status::failed;
        end.message = e.what();
      }
    if (end.status == Status::ok && node.stage != Stage::kScore) keep_within_limit(node);
    leave_work_folder(running.work, end.status == Status::ok);

    recorder_.costs().ended(i, end);
    if (end.status == Status::ok) {
      finish_node(i, State::kDone, std::move(end));
    } else if (end.exit_code == kDamagedInputExit && damaged_inputs_[i]++ < kDamagedInputs) {
      make_inputs_again(i);
    } else if (end.exit_code == kNoProcessExit && put_off(i, end.message)) {
      // and begun anew
    } else {
      const bool died_loading =
          node.component != nullptr && died_by_loading(end, plan_.run_file.limits.seconds);
      const bool again = died_loading && StopSignals::last() == 0 && loaded_again_.insert(i).second;
      if (died_loading && !again) put_in_quarantine(*node.component, "loading it " + end.message);
      if (again) --tries_[i];
      if (StopSignals::last() != 0 && (end.status == Status::interrupted || ended_by_others(end))) {
        // It was stopped, like this run, by whoever stopped both; the cell is still to be done.
        ends_.state[i] = State::kWaiting;
      } else if (end.status != Status::not_applicable && (tries_[i] <= options_.retry || again) &&
                 StopSignals::last() == 0) {
        ends_.state[i] = State::kWaiting;
        observer_.message(node.label + ": " + end.message + "; trying again");
        refresh(i);
      } else {
        fail(i, std::move(end));
      }
    }
  }

  /// Makes room once much has been made: what the cells to come need stays, also what those over seeds
  /// do, for which this run's explanations are only the beginning. What cannot be looked at, or removed,
  /// is no fault of the job.
  void keep_within_limit(const Node& node) try {
    const std::uint64_t limit = plan_.run_file.limits.cache;
    for (const ManifestEntry& entry : read_manifest(cache_.path_of(node.key)))
      made_bytes_ += entry.size;
    if (made_bytes_ < limit / 8) return;
    made_bytes_ = 0;
    std::set<std::string> needed;
    for (const Node& other : plan_.nodes) {
      const std::size_t at = static_cast<std::size_t>(&other - plan_.nodes.data());
      const State state = ends_.state[at];
      const bool to_do =
          state == State::kWaiting || state == State::kReady || state == State::kRunning;
      const bool for_peers =
          other.stage == Stage::kScore && !plan_.cells[other.cell].peer_metrics.empty();
      if (!to_do && !for_peers) continue;
      for (const std::size_t need : other.needs) needed.insert(plan_.nodes[need].key);
    }
    cache_.trim(limit, std::numeric_limits<std::int64_t>::max(), needed);
  } catch (const std::exception& e) {
    observer_.message(std::string("warning: limits.cache: ") + e.what());
  }

  /// For this run and later ones; where it cannot be kept for those, this one goes on.
  void put_in_quarantine(const Component& component, const std::string& reason) {
    try {
      quarantine_.add(component.plugin.sha256, reason);
    } catch (const CacheError& e) {
      observer_.message(std::string("warning: ") + e.what());
    }
  }

  /// A job found that an artifact is not what was written, or is gone: what is so is made again, and
  /// the job waits for it. Where nothing is, another process has been faster.
  void make_inputs_again(std::size_t i) {
    ends_.state[i] = State::kWaiting;
    --tries_[i];
    for (const std::size_t need : plan_.nodes[i].needs) {
      if (ends_.state[need] != State::kDone) continue;
      const Node& node = plan_.nodes[need];
      try {
        verify_artifact(cache_.path_of(node.key));
        if (!confines_ || cache_.is_confined(node.key)) continue;
        say_unconfined(node);
      } catch (const DamagedArtifact& e) {
        observer_.message(made_again(node, "damaged_artifact", e.what()));
      }
      cache_.discard(node.key);
      ends_.state[need] = State::kIdle;
      want(need);
    }
    refresh_all();
  }

  /// Of a cache from before this was recorded it holds for every artifact: one line stands for all.
  void say_unconfined(const Node& node) {
    const std::string text =
        made_again(node, "unconfined_artifact",
                   cache_.path_of(node.key).string() + ": not recorded as made under confinement");
    if (!said_unconfined_) observer_.message(text + ", as are others for the same reason");
    said_unconfined_ = true;
  }

  /// What makes the node's artifact in this run.
  std::string made_by(const Node& node) const {
    return made_by_text(recorder_.here(), plugins_of(plan_, node));
  }

  /// After a change of machine or program it holds for every artifact: one line stands for all.
  void say_made_otherwise(const Node& node) {
    if (said_made_otherwise_) return;
    const auto other = cache_.another_making(node.identity);
    if (!other) return;
    said_made_otherwise_ = true;
    observer_.message(
        made_again(node, "other_making",
                   "the cache has it as made " + difference_text(*other, made_by(node))) +
        ", as is what else was not made as it is here");
  }

  /// Puts it into the store, and returns the sentence.
  std::string made_again(const Node& node, const std::string& event, const std::string& reason) {
    const std::string text = node.label + ": " + reason + "; it is made again";
    recorder_.add_event(event, text);
    return text;
  }

  std::filesystem::path take_work_folder() {
    if (idle_folders_.empty()) return cache_.make_work_folder();
    const auto folder = idle_folders_.back();
    idle_folders_.pop_back();
    return folder;
  }

  /// A worker that came to a good end leaves its folder to the next one.
  void leave_work_folder(const std::filesystem::path& folder, bool reusable) {
    if (reusable) try {
        cache_.reset_work_folder(folder);
        return idle_folders_.push_back(folder);
      } catch (const std::exception&) {
        // then a new one
      }
    remove_tree(folder);
  }

  const Plan& plan_;
  const std::vector<std::size_t>& todo_;
  const Cache& cache_;
  Quarantine& quarantine_;
  const RunOptions& options_;
  RunObserver& observer_;
  NodeEnds ends_;
  Recorder recorder_;
  std::vector<std::uint32_t> tries_;
  std::map<std::size_t, std::uint32_t> damaged_inputs_;  ///< how often a job could not use its own
  std::map<std::size_t, std::uint32_t> put_off_;         ///< how often a job could start nothing
  Clock::time_point next_start_{};                       ///< until then, nothing is started
  std::set<std::size_t> loaded_again_;                   ///< jobs that have died once at load
  std::vector<Running> running_;
  std::vector<std::filesystem::path> idle_folders_;
  std::vector<std::vector<std::size_t>> dependents_;
  std::optional<WorkQueue> queue_;  ///< once it is known what is to do
  const bool confines_;             ///< by Landlock and seccomp
  bool said_unconfined_ = false, said_made_otherwise_ = false;
  std::set<std::size_t> asked_;
  std::uint64_t made_bytes_ = 0;  ///< since there was last made room
  std::size_t finished_ = 0;
  RunOutcome outcome_;
};

}  // namespace

RunOutcome run_cells(const Plan& plan, const std::vector<std::size_t>& todo, results::Store& store,
                     const Cache& cache, Quarantine& quarantine, const RunOptions& options,
                     RunObserver& observer) {
  return Supervisor(plan, todo, store, cache, quarantine, options, observer).run();
}

RunOutcome make_artifacts(const Plan& plan, const std::vector<std::size_t>& nodes,
                          results::Store& store, const Cache& cache, Quarantine& quarantine,
                          const RunOptions& options, RunObserver& observer) {
  const std::vector<std::size_t> no_cells;
  return Supervisor(plan, no_cells, store, cache, quarantine, options, observer)
      .make_artifacts(nodes);
}

}  // namespace conoscope::core
