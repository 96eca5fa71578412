#include "harness/core/run/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <system_error>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/interpreter.h"
#include "harness/core/border/making.h"
#include "harness/core/names.h"
#include "harness/core/plan/work_graph.h"
#include "harness/core/processes/confinement.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/worker_process.h"
#include "harness/core/run/made_elsewhere.h"
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

enum class State { kIdle, kWaiting, kReady, kRunning, kDone, kFailed };

class Supervisor {
 public:
  Supervisor(const Plan& plan, const std::vector<std::size_t>& todo, results::Store& store,
             const Cache& cache, Quarantine& quarantine, const RunOptions& options,
             RunObserver& observer)
      : plan_(plan),
        todo_(todo),
        store_(&store),
        cache_(cache),
        quarantine_(quarantine),
        options_(options),
        observer_(observer),
        state_(plan.nodes.size(), State::kIdle),
        tries_(plan.nodes.size(), 0),
        ends_(plan.nodes.size()),
        dependents_(plan.nodes.size()),
        queue_(plan, {}),
        lacking_(plan, store),
        confines_(options.confine && can_confine()),
        here_(environment_text(options.confine)),
        environment_(environment_row(options.confine, process_plugins(plan))) {
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
    return outcome_;
  }

  RunOutcome make_artifacts(const std::vector<std::size_t>& nodes) {
    make(nodes);
    for (const std::size_t node : nodes) {
      if (state_[node] == State::kDone)
        ++outcome_.good;
      else if (state_[node] != State::kFailed)
        outcome_.signal = StopSignals::last();
      else {
        ++outcome_.failed;
        observer_.message(plan_.nodes[node].label + ": " + ends_[node].stage + ": " +
                          ends_[node].message);
      }
    }
    return outcome_;
  }

 private:
  void make(const std::vector<std::size_t>& nodes) {
    const StopSignals signals;
    save([&] { store_->add_environment(environment_); });
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
      const bool goes_on = StopSignals::last() == 0 && !outcome_.recovered;
      if (goes_on) launch();
      if (running_.empty() && !(goes_on && !queue_.empty())) break;
      wait();
    }
  }

  /// Is the score to be given? Of a cell that lacks nothing all are: somebody asks for it all the same.
  bool is_lacking(std::size_t cell, const std::string& score) {
    const auto [it, fresh] = lack_.try_emplace(cell);
    if (fresh)
      if (auto lack = lacking_.scores_of(plan_.cells[cell]); lack.size() < lacking_.asked())
        it->second = std::move(lack);
    return it->second.empty() || it->second.contains(score);
  }

  /// Of a score node, the scores that its cell lacks.
  std::vector<std::string> scores_to_give(const Node& node) {
    std::vector<std::string> out;
    for (const auto& score : node.metrics)
      if (is_lacking(node.cell, score)) out.push_back(score);
    return out;
  }
  bool is_to_score(std::size_t i) {
    const Node& node = plan_.nodes[i];
    return node.metrics.empty() || !scores_to_give(node).empty();
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
    if (state_[i] != State::kIdle) return;
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
        elsewhere_[i] = lines_of_elsewhere(maker, made_by(node));
        state_[i] = State::kDone;
        return;
      }
    } else if (node.stage != Stage::kScore) {
      say_made_otherwise(node);
    }
    state_[i] = State::kWaiting;
    for (const std::size_t need : node.needs) want(need);
  }

  void refresh_all() {
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
      if (state_[i] == State::kWaiting) refresh(i);
  }

  /// One worker has as much to do in any order, and is left to the queue's own.
  void order_queue() {
    if (options_.jobs == 1) return;
    std::vector<bool> to_do;
    for (const State state : state_) to_do.push_back(state == State::kWaiting);
    queue_ = WorkQueue(plan_, longest_chains(plan_, store_->median_seconds(), to_do));
  }

  /// A waiting node becomes ready, or fails because of what it needs or of its own plugin.
  void refresh(std::size_t i) {
    const Node& node = plan_.nodes[i];
    bool ready = true;
    for (const std::size_t need : node.needs) {
      if (state_[need] == State::kFailed) {
        JobEnd end = ends_[need];
        end.scores.clear();
        return fail(i, std::move(end));
      }
      ready = ready && state_[need] == State::kDone;
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
    state_[i] = State::kReady;
    queue_.push(i);
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

  /// Tells whoever waits for the node; records its cell when that was the last of its scores.
  void finish_node(std::size_t i, State state, JobEnd end) {
    state_[i] = state;
    ends_[i] = std::move(end);
    for (const std::size_t next : dependents_[i])
      if (state_[next] == State::kWaiting) refresh(next);
    if (plan_.nodes[i].stage != Stage::kScore) return;
    const std::size_t index = plan_.nodes[i].cell;
    const auto& scores = plan_.cells[index].score_nodes;
    const bool ended = std::all_of(scores.begin(), scores.end(), [this](std::size_t node) {
      return state_[node] == State::kDone || state_[node] == State::kFailed ||
             state_[node] == State::kIdle;  // known already
    });
    if (ended && asked_.count(index) != 0) record(index);
  }

  void launch() {
    while (running_.size() < options_.jobs && !queue_.empty() && Clock::now() >= next_start_)
      start(queue_.pop());
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
    state_[i] = State::kReady;
    queue_.push(i);
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
                           cache_.path_of(plan_.nodes[peer.explanation].key), peer.control_seed});
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
      job.metrics = node.component == nullptr ? scores_to_give(node) : node.metrics;
    }
    state_[i] = State::kRunning;
    ++tries_[i];
    if (auto& started = cost_by_node_[i].started_at; started.empty()) started = now_text();
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
    save([&] { store_->add_event({now_text(), random_name(), "standard_output", text}); });
  }

  void finish(Running& running, JobEnd end) {
    const std::size_t i = running.node;
    const Node& node = plan_.nodes[i];
    if (end.stdout_bytes > 0) report_noise(node, end);
    running.worker.reset();  // and whatever the worker may have started: the folder is ours again
    if (end.status == Status::ok && node.stage != Stage::kScore) try {
        cache_.commit(running.work, node.key, end.log, confines_);
        elsewhere_.erase(i);
      } catch (const std::exception& e) {
        end.status = Status::failed;
        end.message = e.what();
      }
    leave_work_folder(running.work, end.status == Status::ok);

    cost_by_node_[i].seconds += end.seconds;
    cost_by_node_[i].peak_memory = std::max(cost_by_node_[i].peak_memory, end.peak_memory);
    if (end.status == Status::ok) {
      finish_node(i, State::kDone, std::move(end));
    } else if (end.exit_code == kDamagedInputExit && damaged_inputs_[i]++ < kDamagedInputs) {
      make_inputs_again(i);
    } else if (end.exit_code == kNoProcessExit && put_off(i, end.message)) {
      // and begun anew
    } else {
      // A deadline shorter than a second or two says nothing about a library on a busy machine, and a
      // signal that others send nothing about any: an out-of-memory killer, a batch system.
      const bool in_time = plan_.run_file.limits.seconds >= 2;
      const bool by_others = end.signal == SIGKILL || end.signal == SIGTERM;
      const bool died_loading = end.died() && end.step == "load" && node.component != nullptr &&
                                (end.status == Status::crashed ? !by_others : in_time);
      // Once may be a library that somebody replaces at this moment: loaded once more, by this job.
      const bool again = died_loading && StopSignals::last() == 0 && loaded_again_.insert(i).second;
      if (died_loading && !again) put_in_quarantine(*node.component, "loading it " + end.message);
      if (again) --tries_[i];
      if (StopSignals::last() != 0 && (end.status == Status::interrupted || by_others)) {
        // It was stopped, like this run, by whoever stopped both; the cell is still to be done.
        state_[i] = State::kWaiting;
      } else if (end.status != Status::not_applicable && (tries_[i] <= options_.retry || again) &&
                 StopSignals::last() == 0) {
        state_[i] = State::kWaiting;
        observer_.message(node.label + ": " + end.message + "; trying again");
        refresh(i);
      } else {
        fail(i, std::move(end));
      }
    }
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
    state_[i] = State::kWaiting;
    --tries_[i];
    for (const std::size_t need : plan_.nodes[i].needs) {
      if (state_[need] != State::kDone) continue;
      const Node& node = plan_.nodes[need];
      try {
        verify_artifact(cache_.path_of(node.key));
        if (!confines_ || cache_.is_confined(node.key)) continue;
        say_unconfined(node);
      } catch (const DamagedArtifact& e) {
        observer_.message(made_again(node, "damaged_artifact", e.what()));
      }
      cache_.discard(node.key);
      state_[need] = State::kIdle;
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
    return made_by_text(here_, plugins_of(plan_, node));
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

  /// This run's environment, and beside it where the cell's artifacts were made elsewhere.
  results::EnvironmentRow environment_of(const Cell& cell) const {
    std::set<std::string> lines;
    for (const std::size_t node : cell.score_nodes)
      for (const std::size_t need : plan_.nodes[node].needs)
        if (const auto it = elsewhere_.find(need); it != elsewhere_.end())
          lines.insert(it->second.begin(), it->second.end());
    if (lines.empty()) return environment_;
    std::string text = environment_.text;
    for (const std::string& line : lines) text += line + '\n';
    return results::environment_row(text);
  }

  /// Puts it into the store, and returns the sentence.
  std::string made_again(const Node& node, const std::string& event, const std::string& reason) {
    const std::string text = node.label + ": " + reason + "; it is made again";
    save([&] { store_->add_event({now_text(), random_name(), event, text}); });
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

  /// What was said along the way of scores that went well: "dataset: left out 266 of 1309 rows". What
  /// was said while an artifact was made belongs to every cell that uses it, also of later runs.
  std::string notes_of(const std::vector<std::size_t>& scores) const {
    std::set<std::size_t> nodes(scores.begin(), scores.end());
    for (const std::size_t node : scores)
      nodes.insert(plan_.nodes[node].needs.begin(), plan_.nodes[node].needs.end());
    std::string notes;
    for (const std::size_t i : nodes) {  // in their topological order
      const Node& node = plan_.nodes[i];
      const std::string log = node.stage == Stage::kScore ? ends_[i].log : cache_.log_of(node.key);
      if (log.empty()) continue;
      notes.append(to_string(node.stage)).append(": ").append(log);
      if (log.back() != '\n') notes += '\n';
    }
    return notes;
  }

  /// One way in which scores of a cell ended, and the score nodes that ended so.
  struct Outcome {
    const JobEnd* end = nullptr;  ///< nullptr: well
    std::vector<std::size_t> nodes;
  };

  /// Well, or not applicable at the scores: each score says what there is to say.
  bool is_scored(std::size_t node) const {
    return state_[node] == State::kDone ||
           (ends_[node].status == Status::not_applicable && failed_scoring(ends_[node]));
  }
  static bool failed_scoring(const JobEnd& end) {
    return end.stage.starts_with(to_string(Stage::kScore));
  }

  /// Each fault once, with all that it cost, and last those that went well: where these are saved,
  /// nothing that the run asks for goes without a word, whenever it is killed.
  std::vector<Outcome> outcomes_of(const Cell& cell) const {
    std::vector<Outcome> out;
    Outcome well;
    for (const std::size_t node : cell.score_nodes) {
      if (state_[node] == State::kIdle) continue;
      if (is_scored(node)) {
        well.nodes.push_back(node);
        continue;
      }
      const JobEnd& end = ends_[node];
      const auto same = std::find_if(out.begin(), out.end(), [&end](const Outcome& one) {
        return one.end->status == end.status && one.end->stage == end.stage &&
               one.end->message == end.message;
      });
      if (same == out.end())
        out.push_back({&end, {node}});
      else
        same->nodes.push_back(node);
    }
    out.push_back(std::move(well));
    return out;
  }

  /// What an outcome says of each score that the cell lacks.
  std::vector<results::ScoreRow> rows_of(std::size_t index, const Outcome& outcome) {
    const Cell& cell = plan_.cells[index];
    std::vector<results::ScoreRow> rows;
    std::set<std::string> given;
    const auto add = [&](results::ScoreRow row) {
      if (given.insert(row.metric).second) rows.push_back(std::move(row));
    };
    for (const std::size_t node : outcome.nodes) {
      const JobEnd& end = ends_[node];
      for (const auto& score : end.scores) add(score);
      if (!is_scored(node) && !failed_scoring(end)) continue;
      for (const auto& score : scores_to_give(plan_.nodes[node]))
        if (is_scored(node))
          add({score, std::nullopt, "not_applicable",
               state_[node] == State::kDone ? "the plugin did not give it" : end.message});
        else
          add({score, std::nullopt, "error"});
    }
    if (outcome.end != nullptr) return rows;
    for (const auto& [score, why] : cell.not_applicable)
      if (is_lacking(index, score)) add({score, std::nullopt, "not_applicable", why});
    std::set<std::string> of_nodes(cell.peer_metrics.begin(), cell.peer_metrics.end());
    for (const std::size_t node : cell.score_nodes)
      of_nodes.insert(plan_.nodes[node].metrics.begin(), plan_.nodes[node].metrics.end());
    for (const auto& metric : plan_.metrics)
      if (!of_nodes.contains(metric) && is_lacking(index, metric))
        add({metric, std::nullopt, "not_applicable"});
    return rows;
  }

  void record(std::size_t index) {
    const Cell& cell = plan_.cells[index];
    const auto outcomes = outcomes_of(cell);
    const bool explained = std::ranges::all_of(outcomes, [](const Outcome& outcome) {
      return outcome.end == nullptr || failed_scoring(*outcome.end);
    });
    CellEnd told;
    told.cell = &cell;
    for (const Outcome& outcome : outcomes) {
      const auto rows = rows_of(index, outcome);
      // Where all there is to say is that dataset, model or explainer failed, nothing went well.
      if (outcome.end == nullptr && outcome.nodes.empty() &&
          (!explained || (rows.empty() && outcomes.size() > 1)))
        continue;
      const double seconds = record(cell, outcome, rows);
      told.seconds += seconds;
      if (outcome.end == nullptr || told.status != Status::ok) continue;
      told.status = outcome.end->status;
      told.stage = outcome.end->stage;
      told.message = outcome.end->message;
      if (const auto* plugin = plan_.nodes[outcome.nodes.front()].component;
          plugin != nullptr && failed_scoring(*outcome.end))
        told.message = plugin->name + ": " + told.message;
    }
    // Nothing needs a score: nobody asks for these again, and a long run has many.
    for (const std::size_t node : cell.score_nodes) ends_[node] = {};
    lack_.erase(index);
    ++finished_;
    if (told.status == Status::ok)
      ++outcome_.good;
    else if (told.status == Status::not_applicable)
      ++outcome_.not_applicable;
    else
      ++outcome_.failed;
    observer_.cell_finished(told, finished_, todo_.size());
  }

  /// Returns the seconds that it took.
  double record(const Cell& cell, const Outcome& outcome,
                const std::vector<results::ScoreRow>& rows) {
    results::AttemptRow attempt;
    attempt.id = random_name();
    attempt.cell = cell.key;
    attempt.run = plan_.run_key;
    const results::EnvironmentRow environment = environment_of(cell);
    attempt.environment = environment.key;
    std::set<std::string> scores;
    for (const auto& row : rows) scores.insert(row.metric);
    attempt.binaries = plan_.binaries_of(cell, scores);
    std::vector<results::SampleScoreRow> parts;
    for (const std::size_t node : outcome.nodes) {
      const Cost cost = take_cost(node);
      attempt.seconds += cost.seconds;
      attempt.peak_memory =
          std::max(attempt.peak_memory.value_or(0), static_cast<std::int64_t>(cost.peak_memory));
      attempt.started_at = first_of(attempt.started_at, cost.started_at);
      parts.insert(parts.end(), ends_[node].parts.begin(), ends_[node].parts.end());
    }
    if (attempt.started_at.empty()) attempt.started_at = now_text();  // no worker was needed
    if (outcome.end == nullptr) {
      attempt.log_tail = notes_of(outcome.nodes);
    } else {
      attempt.status = outcome.end->status;
      attempt.stage = outcome.end->stage;
      attempt.message = outcome.end->message;
      attempt.log_tail = outcome.end->log;
      attempt.signal = outcome.end->signal;
      attempt.exit_code = outcome.end->exit_code;
    }
    attempt.number = results::attempt_number();  // one attempt, in whichever store it is saved
    save([&] {
      if (environment.key != environment_.key) store_->add_environment(environment);
      store_->record(attempt, rows, parts, cell.peers);
    });
    return attempt.seconds;
  }

  /// Writes to the store; when it cannot save, to the one that the caller offers instead.
  template <typename Write>
  void save(Write&& write) {
    try {
      return write();
    } catch (const results::StoreError& e) {
      results::Store* other =
          options_.recover && !outcome_.recovered ? options_.recover(e) : nullptr;
      if (other == nullptr) throw;
      store_ = other;
      outcome_.recovered = true;
    }
    store_->add_environment(environment_);
    write();
  }

  struct Cost {
    double seconds = 0.0;
    std::uint64_t peak_memory = 0;  ///< of the hungriest of the workers
    std::string started_at;         ///< when the first of them was; empty: there was none
  };

  static std::string first_of(const std::string& a, const std::string& b) {
    return a.empty() || (!b.empty() && b < a) ? b : a;
  }

  /// What went into a node and what it needs; shared work counts for the cell that ends first.
  Cost take_cost(std::size_t node) {
    Cost total = std::exchange(cost_by_node_[node], {});
    for (const std::size_t need : plan_.nodes[node].needs) {
      const Cost made = std::exchange(cost_by_node_[need], {});
      total.seconds += made.seconds;
      total.peak_memory = std::max(total.peak_memory, made.peak_memory);
      total.started_at = first_of(total.started_at, made.started_at);
    }
    return total;
  }

  const Plan& plan_;
  const std::vector<std::size_t>& todo_;
  results::Store* store_;
  const Cache& cache_;
  Quarantine& quarantine_;
  const RunOptions& options_;
  RunObserver& observer_;
  std::vector<State> state_;
  std::vector<std::uint32_t> tries_;
  std::vector<JobEnd> ends_;
  std::map<std::size_t, std::uint32_t> damaged_inputs_;  ///< how often a job could not use its own
  std::map<std::size_t, std::uint32_t> put_off_;         ///< how often a job could start nothing
  Clock::time_point next_start_{};                       ///< until then, nothing is started
  std::set<std::size_t> loaded_again_;                   ///< jobs that have died once at load
  std::map<std::size_t, Cost> cost_by_node_;
  std::vector<Running> running_;
  std::vector<std::filesystem::path> idle_folders_;
  std::vector<std::vector<std::size_t>> dependents_;
  WorkQueue queue_;
  Lacking lacking_;
  /// By cell, as far as it was asked for, what it lacks; empty: everything.
  std::map<std::size_t, std::set<std::string>> lack_;
  const bool confines_;  ///< by Landlock and seccomp
  bool said_unconfined_ = false, said_made_otherwise_ = false;
  /// Of artifacts that the cache had, where they were made: lines_of_elsewhere()
  std::map<std::size_t, std::set<std::string>> elsewhere_;
  std::set<std::size_t> asked_;
  std::size_t finished_ = 0;
  const std::string here_;  ///< without what runs scripts, which each artifact names for itself
  const results::EnvironmentRow environment_;
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
