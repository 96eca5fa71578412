#include "harness/core/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>

#include "conoscope/sdk/abi.h"
#include "harness/core/job.h"
#include "harness/core/process.h"
#include "harness/core/sha256.h"
#include "harness/core/version.h"

namespace conoscope::core {

namespace {

using Clock = std::chrono::steady_clock;
using results::Status;

// Loading a library and making an instance is a matter of milliseconds; a minute is a hang.
constexpr double kLoadSeconds = 60;
constexpr std::size_t kLogTail = 4096;

volatile sig_atomic_t stop_signal = 0;
volatile sig_atomic_t stop_count = 0;

/// While it lives, SIGINT and SIGTERM ask the run to stop instead of killing it.
class StopSignals {
 public:
  StopSignals() {
    stop_signal = 0;
    stop_count = 0;
    struct sigaction action {};
    action.sa_handler = [](int signal) {
      stop_signal = signal;
      stop_count = stop_count + 1;
    };
    sigaction(SIGINT, &action, &int_);
    sigaction(SIGTERM, &action, &term_);
  }
  ~StopSignals() {
    sigaction(SIGINT, &int_, nullptr);
    sigaction(SIGTERM, &term_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct sigaction int_ {
  }, term_{};
};

std::string random_id() {
  std::random_device device;  // an attempt's id must be unique, not repeatable
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t word = device();
    for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[word >> shift & 15];
  }
  return out;
}

std::string now_text() { return results::utc_text(std::chrono::system_clock::now()); }

results::EnvironmentRow environment() {
  std::string cpu = "unknown";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) {
      cpu = line.substr(std::min(line.size(), line.find(':') + 2));
      break;
    }
  utsname system{};
  ::uname(&system);
  const std::string text = "cpu: " + cpu + "\nsystem: " + system.sysname + " " + system.release +
                           " " + system.machine + "\n" + build_text();
  return {make_key("environment", text), text};
}

/// What a job ended with.
struct JobEnd {
  Status status = Status::ok;
  std::string stage, message, log;
  std::optional<std::int64_t> signal, exit_code;
  double seconds = 0;
  std::uint64_t peak_memory = 0;
  std::vector<results::ScoreRow> scores;
  std::vector<results::SampleScoreRow> parts;
};

/// A plugin can write to any descriptor; whatever it puts on this one is its own fault.
Status status_of(const std::string& word) {
  try {
    return results::parse_status(word);
  } catch (const std::invalid_argument&) {
    return Status::failed;
  }
}

double parse_hex(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// One worker and what it has reported so far.
struct Running {
  std::size_t node = 0;
  std::filesystem::path work;
  std::unique_ptr<ChildProcess> process;
  Clock::time_point started;
  std::string step = "load";
  double progress = 0;
  bool done = false;
  bool too_long = false, too_big = false;
  std::optional<std::pair<Status, std::string>> fault;
  std::vector<results::ScoreRow> scores;
  std::vector<results::SampleScoreRow> parts;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - started).count(); }

  void take(const std::string& line) {
    const auto fields = split_line(line);
    const auto field = [&](std::size_t i) { return i < fields.size() ? fields[i] : ""; };
    if (fields[0] == "stage")
      step = field(1);
    else if (fields[0] == "progress")
      progress = std::atof(field(1).c_str());
    else if (fields[0] == "done")
      done = true;
    else if (fields[0] == "fault")
      fault = {status_of(field(1)), field(2)};
    else if (fields[0] == "score")
      scores.push_back(field(3).empty() ? results::score_row(field(1), parse_hex(field(2)))
                                        : results::ScoreRow{field(1), std::nullopt, field(3)});
    else if (fields[0] == "part")
      parts.push_back(
          results::sample_score_row(field(1), std::atoll(field(2).c_str()), parse_hex(field(3))));
  }
};

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
        dependents_(plan.nodes.size()) {
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
      for (const std::size_t need : plan_.nodes[i].needs) dependents_[need].push_back(i);
    asked_.insert(todo.begin(), todo.end());
  }

  RunOutcome run() {
    const StopSignals signals;
    const auto machine = environment();
    environment_ = machine.key;
    environment_row_ = machine;
    save([&] { store_->add_environment(machine); });
    for (const std::size_t cell : todo_)
      for (const std::size_t node : plan_.cells[cell].score_nodes) want(node);
    // Refused plugins fail before anything runs, each with its reason.
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
      if (state_[i] == State::kWaiting) refresh(i);
    bool announced = false;
    while (true) {
      if (stop_signal != 0 && !announced) {
        announced = true;
        observer_.message("stopping: waiting for " + std::to_string(running_.size()) +
                          " running job(s); once more to stop at once");
      }
      if (stop_count > 1) break;  // ~Running kills what still runs
      if (stop_signal == 0 && !outcome_.recovered) launch();
      if (running_.empty()) break;
      wait();
    }
    outcome_.signal = finished_ < todo_.size() ? stop_signal : 0;
    return outcome_;
  }

 private:
  /// Marks a node and what it needs as work to do; what the cache has is not.
  void want(std::size_t i) {
    if (state_[i] != State::kIdle) return;
    const Node& node = plan_.nodes[i];
    if (node.stage != Stage::kScore && cache_.has(node.key)) {
      cache_.touch(node.key);
      state_[i] = State::kDone;
      return;
    }
    state_[i] = State::kWaiting;
    for (const std::size_t need : node.needs) want(need);
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
    std::string refusal;
    if (node.component != nullptr) {
      refusal = node.component->plugin.refusal;
      if (refusal.empty())
        if (const auto reason = quarantine_.reason(node.component->plugin.sha256); !reason.empty())
          refusal = node.component->plugin.file.string() + ": in quarantine: " + reason;
    }
    if (!refusal.empty()) {
      JobEnd end;
      end.status = Status::failed;
      end.stage = std::string(to_string(node.stage)) + ": load";
      end.message = refusal;
      return fail(i, std::move(end));
    }
    if (!ready) return;
    state_[i] = State::kReady;
    ready_.insert(priority(i));
  }

  /// Later stages first: cells come to their end early, so a kill loses little.
  std::pair<int, std::size_t> priority(std::size_t i) const {
    return {-static_cast<int>(plan_.nodes[i].stage), i};
  }

  void fail(std::size_t i, JobEnd end) { finish_node(i, State::kFailed, std::move(end)); }

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
      return state_[node] == State::kDone || state_[node] == State::kFailed;
    });
    if (ended && asked_.count(index) != 0) record(index);
  }

  void launch() {
    while (running_.size() < options_.jobs && !ready_.empty()) {
      const std::size_t next = ready_.begin()->second;
      ready_.erase(ready_.begin());
      start(next);
    }
  }

  static PluginUse use_of(const Component& component) {
    return {component.plugin.file, component.values};
  }

  void start(std::size_t i) {
    const Node& node = plan_.nodes[i];
    Job job;
    job.stage = node.stage;
    job.label = node.label;
    job.seed = node.seed;
    job.threads = plan_.run_file.limits.threads;
    job.memory = plan_.run_file.limits.memory;
    job.repeat = options_.repeat;
    job.sample_scores = plan_.run_file.sample_scores;
    if (node.component != nullptr) job.plugin = use_of(*node.component);
    for (const std::size_t need : node.needs) {
      const auto folder = cache_.path_of(plan_.nodes[need].key);
      if (plan_.nodes[need].stage == Stage::kDataset) job.dataset = folder;
      if (plan_.nodes[need].stage == Stage::kModel) job.model_folder = folder;
      if (plan_.nodes[need].stage == Stage::kExplain) job.explanation = folder;
    }
    if (node.stage == Stage::kScore) {
      const Cell& cell = plan_.cells[node.cell];
      job.control = cell.control;
      job.control_seed = cell.control_seed;
      job.model = use_of(*cell.model);
      if (cell.explainer != nullptr) job.explainer = use_of(*cell.explainer);
      if (node.component == nullptr) job.metrics = cell.metrics;
    }
    Running running;
    running.node = i;
    running.work = cache_.make_work_folder();
    job.work = running.work;
    write_job(job, running.work / "job.toml");
    running.started = Clock::now();
    running.process = std::make_unique<ChildProcess>(
        std::vector<std::string>{"/proc/self/exe", "worker", (running.work / "job.toml").string()},
        running.work / "output.txt",
        std::vector<std::string>{"OPENBLAS_NUM_THREADS=1",
                                 "OMP_NUM_THREADS=" + std::to_string(job.threads),
                                 "TMPDIR=" + (running.work / "scratch").string()});
    state_[i] = State::kRunning;
    ++tries_[i];
    running_.push_back(std::move(running));
  }

  /// Sleeps until something happens, then takes in everything that did.
  void wait() {
    std::vector<pollfd> fds;
    for (const auto& running : running_)
      if (!running.process->closed()) fds.push_back({running.process->report_fd(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), 50);
    for (std::size_t r = 0; r < running_.size();) {
      Running& running = running_[r];
      for (const auto& line : running.process->read_lines()) running.take(line);
      const auto exit = running.process->poll_exit();
      if (!exit) {
        enforce_limits(running);
        ++r;
        continue;
      }
      for (const auto& line : running.process->read_lines()) running.take(line);
      finish(running, *exit);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(r));
    }
    std::vector<std::pair<std::string, double>> now;
    for (const auto& running : running_)
      now.emplace_back(plan_.nodes[running.node].label, running.progress);
    observer_.tick(now);
  }

  void enforce_limits(Running& running) const {
    const Limits& limits = plan_.run_file.limits;
    const double allowed =
        running.step == "load" ? std::min(kLoadSeconds, limits.seconds) : limits.seconds;
    if (!running.too_long && running.seconds() > allowed) {
      running.too_long = true;
      running.process->kill(SIGKILL);
    } else if (!running.too_big && running.process->resident_memory() > limits.memory) {
      running.too_big = true;
      running.process->kill(SIGKILL);
    }
  }

  JobEnd judge(const Running& running, const Exit& exit) const {
    const Node& node = plan_.nodes[running.node];
    const Limits& limits = plan_.run_file.limits;
    JobEnd end;
    end.seconds = running.seconds();
    end.peak_memory = exit.peak_memory;
    end.stage = std::string(to_string(node.stage)) + ": " + running.step;
    end.log = tail_of(running.work / "output.txt", kLogTail);
    if (exit.signal) end.signal = *exit.signal;
    if (exit.code) end.exit_code = *exit.code;
    end.scores = running.scores;
    end.parts = running.parts;
    if (running.too_long) {
      end.status = Status::timeout;
      end.message = "still running after " + to_text(Value(std::round(end.seconds * 10) / 10)) +
                    " s; the limit is limits.seconds = " + to_text(Value(limits.seconds));
      if (running.step == "load") end.message = "did not finish loading: " + end.message;
    } else if (running.too_big) {
      end.status = Status::out_of_memory;
      end.message =
          "used more than limits.memory = " + std::to_string(limits.memory >> 20) + " MiB";
    } else if (running.fault) {
      end.status = running.fault->first;
      end.message = running.fault->second;
    } else if (exit.signal) {
      end.status = Status::crashed;
      end.message = "killed by " + signal_text(*exit.signal);
    } else if (!running.done) {
      end.status = Status::crashed;
      end.message = "the process exited with code " + std::to_string(exit.code.value_or(-1)) +
                    " before its work was finished (no completion record)";
    } else if (exit.code.value_or(-1) != 0) {
      end.status = Status::crashed;
      end.message = "the process exited with code " + std::to_string(*exit.code) +
                    " after its work was finished";
    }
    return end;
  }

  void finish(Running& running, const Exit& exit) {
    const std::size_t i = running.node;
    const Node& node = plan_.nodes[i];
    JobEnd end = judge(running, exit);
    if (end.status == Status::ok && node.stage != Stage::kScore) try {
        cache_.commit(running.work, node.key);
      } catch (const std::exception& e) {
        end.status = Status::failed;
        end.message = e.what();
      }
    std::error_code error;
    std::filesystem::remove_all(running.work, error);

    seconds_by_node_[i] += end.seconds;
    if (end.status == Status::ok) {
      finish_node(i, State::kDone, std::move(end));
    } else {
      const bool died = end.status == Status::crashed || end.status == Status::timeout;
      if (died && running.step == "load" && node.component != nullptr)
        quarantine_.add(node.component->plugin.sha256, "loading it " + end.message);
      if (end.status != Status::not_applicable && tries_[i] <= options_.retry && stop_signal == 0) {
        state_[i] = State::kWaiting;
        observer_.message(node.label + ": " + end.message + "; trying again");
        refresh(i);
      } else {
        fail(i, std::move(end));
      }
    }
  }

  void record(std::size_t index) {
    const Cell& cell = plan_.cells[index];
    results::AttemptRow attempt;
    attempt.id = random_id();
    attempt.cell = cell.key;
    attempt.run = plan_.run_key;
    attempt.environment = environment_;
    attempt.started_at = now_text();
    attempt.binaries = cell.binaries;

    std::vector<results::ScoreRow> scores;
    std::vector<results::SampleScoreRow> parts;
    std::set<std::string> given;
    for (const std::size_t node : cell.score_nodes) {
      const JobEnd& end = ends_[node];
      attempt.seconds += take_seconds(node);
      attempt.peak_memory =
          std::max(attempt.peak_memory.value_or(0), static_cast<std::int64_t>(end.peak_memory));
      for (const auto& score : end.scores)
        if (given.insert(score.metric).second) scores.push_back(score);
      parts.insert(parts.end(), end.parts.begin(), end.parts.end());
      if (state_[node] == State::kDone || attempt.status != Status::ok) continue;
      attempt.status = end.status;
      attempt.stage = end.stage;
      attempt.message = end.message;
      attempt.log_tail = end.log;
      attempt.signal = end.signal;
      attempt.exit_code = end.exit_code;
    }
    if (attempt.status == Status::ok)
      for (const auto& metric : plan_.metrics)
        if (given.count(metric) == 0) scores.push_back({metric, std::nullopt, "not_applicable"});
    save([&] { store_->record(attempt, scores, parts); });
    ++finished_;
    if (attempt.status == Status::ok)
      ++outcome_.good;
    else if (attempt.status == Status::not_applicable)
      ++outcome_.not_applicable;
    else
      ++outcome_.failed;
    observer_.cell_finished(
        {&cell, attempt.status, attempt.stage, attempt.message, attempt.seconds}, finished_,
        todo_.size());
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
    store_->add_environment(environment_row_);
    write();
  }

  /// The time that went into a node and what it needs; shared work counts for the cell that ends
  /// first.
  double take_seconds(std::size_t node) {
    double total = std::exchange(seconds_by_node_[node], 0.0);
    for (const std::size_t need : plan_.nodes[node].needs)
      total += std::exchange(seconds_by_node_[need], 0.0);
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
  std::map<std::size_t, double> seconds_by_node_;
  std::vector<Running> running_;
  std::vector<std::vector<std::size_t>> dependents_;
  std::set<std::pair<int, std::size_t>> ready_;
  std::set<std::size_t> asked_;
  std::size_t finished_ = 0;
  std::string environment_;
  results::EnvironmentRow environment_row_;
  RunOutcome outcome_;
};

}  // namespace

std::set<std::string> finished_cells(const Plan& plan, results::Store& store) {
  const auto good = store.good_cells(plan.run_key);
  const auto binaries = store.good_binaries();
  std::set<std::string> out;
  for (const Cell& cell : plan.cells) {
    if (good.count(cell.key) == 0) continue;
    const auto it = binaries.find(cell.key);
    if (it != binaries.end() && it->second.count(cell.binaries) != 0) out.insert(cell.key);
  }
  return out;
}

void register_run(const Plan& plan, results::Store& store) {
  std::vector<results::ComponentRow> components;
  std::vector<results::PluginRow> plugins;
  const auto add = [&](const std::vector<Component>& list, bool is_part_of_cells) {
    for (const Component& c : list) {
      const std::string kind = to_string(c.kind);
      if (is_part_of_cells)
        components.push_back({c.key, kind, c.id, c.version, c.params, c.content, c.name});
      plugins.push_back({kind, c.id, c.version, c.plugin.sha256, c.plugin.file.string(),
                         c.plugin.metadata ? c.plugin.metadata->licence : "",
                         c.plugin.metadata ? c.plugin.metadata->citation : ""});
    }
  };
  add(plan.datasets, true);
  add(plan.models, true);
  add(plan.explainers, true);
  add(plan.metric_plugins, false);

  std::vector<results::CellRow> cells;
  for (const Cell& cell : plan.cells)
    cells.push_back({cell.key, cell.dataset->key, cell.model->key,
                     cell.explainer ? cell.explainer->key : "", cell.seed, cell.control});

  std::vector<results::MetricKeyRow> metric_rows;
  const auto bound = [](double value) {
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
  };
  for (const auto& name : plan.metrics)
    if (const auto* info = metrics::catalogue().metric(name))
      metric_rows.push_back({name, std::string(info->group),
                             std::string(metrics::to_string(info->direction)), bound(info->low),
                             bound(info->high), std::string(info->unit),
                             std::string(info->citation), std::string(info->question)});
  for (const Component& plugin : plan.metric_plugins)
    if (plugin.plugin.metadata)
      for (const ScoreSpec& score : plugin.plugin.metadata->scores)
        metric_rows.push_back({score.name, plugin.id, score.direction, score.low, score.high,
                               score.unit, plugin.plugin.metadata->citation, score.question});

  store.add_plugins(plugins);
  store.register_run({plan.run_key, plan.run_file.name, plan.run_file.text, now_text()}, components,
                     cells, metric_rows);
}

RunOutcome run_cells(const Plan& plan, const std::vector<std::size_t>& todo, results::Store& store,
                     const Cache& cache, Quarantine& quarantine, const RunOptions& options,
                     RunObserver& observer) {
  return Supervisor(plan, todo, store, cache, quarantine, options, observer).run();
}

}  // namespace conoscope::core
