// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/recorder.h"

#include <algorithm>
#include <utility>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/provenance.h"
#include "harness/core/names.h"
#include "results/store/error.h"

namespace conoscope::core {

using results::Status;

namespace {

std::string first_of(const std::string& a, const std::string& b) {
  return a.empty() || (!b.empty() && b < a) ? b : a;
}

bool failed_scoring(const JobEnd& end) { return end.stage.starts_with(to_string(Stage::kScore)); }

}  // namespace

void Costs::Cost::add(const Cost& other) {
  seconds += other.seconds;
  peak_memory = std::max(peak_memory, other.peak_memory);
  started_at = first_of(started_at, other.started_at);
}

void Costs::started(std::size_t node, const std::string& when) {
  by_node_[node].add({0.0, 0, when});
}

void Costs::ended(std::size_t node, const JobEnd& end) {
  by_node_[node].add({end.seconds, end.peak_memory, ""});
}

Costs::Cost Costs::take(std::size_t node) {
  Cost total = std::exchange(by_node_[node], {});
  for (const std::size_t need : plan_.nodes[node].needs)
    total.add(std::exchange(by_node_[need], {}));
  return total;
}

Recorder::Recorder(const Plan& plan, results::Store& store, const Cache& cache,
                   const RunOptions& options, const NodeEnds& ends)
    : plan_(plan),
      store_(&store),
      cache_(cache),
      options_(options),
      ends_(ends),
      costs_(plan),
      lacking_(plan, store),
      here_(environment_text(options.confine)),
      environment_(environment_row(options.confine, process_plugins(plan))) {}

/// Writes to the store; when it cannot save, to the one that the caller offers instead.
template <typename Write>
void Recorder::save(Write&& write) {
  try {
    return write();
  } catch (const results::StoreError& e) {
    results::Store* other = options_.recover && !recovered_ ? options_.recover(e) : nullptr;
    if (other == nullptr) throw;
    store_ = other;
    recovered_ = true;
  }
  store_->add_environment(environment_);
  write();
}

void Recorder::begin() {
  save([&] { store_->add_environment(environment_); });
}

void Recorder::add_event(const std::string& kind, const std::string& text) {
  save([&] { store_->add_event({now_text(), random_name(), kind, text}); });
}

void Recorder::made_elsewhere(std::size_t node, std::set<std::string> lines) {
  elsewhere_[node] = std::move(lines);
}

/// Is the score to be given?
bool Recorder::is_lacking(std::size_t cell, const std::string& score) {
  const auto [it, fresh] = lack_.try_emplace(cell);
  if (fresh)
    if (auto lack = lacking_.scores_of(plan_.cells[cell]); lack.size() < lacking_.asked())
      it->second = std::move(lack);
  return it->second.empty() || it->second.contains(score);
}

std::vector<std::string> Recorder::scores_to_give(const Node& node) {
  std::vector<std::string> out;
  for (const auto& score : node.metrics)
    if (is_lacking(node.cell, score)) out.push_back(score);
  return out;
}

/// This run's environment, and beside it where the cell's artifacts were made elsewhere.
results::EnvironmentRow Recorder::environment_of(const Cell& cell) const {
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

/// What was said along the way of scores that went well: "dataset: left out 266 of 1309 rows". What
/// was said while an artifact was made belongs to every cell that uses it, also of later runs.
std::string Recorder::notes_of(const std::vector<std::size_t>& scores) const {
  std::set<std::size_t> nodes(scores.begin(), scores.end());
  for (const std::size_t node : scores)
    nodes.insert(plan_.nodes[node].needs.begin(), plan_.nodes[node].needs.end());
  std::string notes;
  for (const std::size_t i : nodes) {  // in their topological order
    const Node& node = plan_.nodes[i];
    const std::string log =
        node.stage == Stage::kScore ? ends_.end[i].log : cache_.log_of(node.key);
    if (log.empty()) continue;
    notes.append(to_string(node.stage)).append(": ").append(log);
    if (log.back() != '\n') notes += '\n';
  }
  return notes;
}

/// One way in which scores of a cell ended, and the score nodes that ended so.
struct Recorder::Outcome {
  const JobEnd* end = nullptr;  ///< nullptr: well
  std::vector<std::size_t> nodes;
};

/// Well, or not applicable at the scores: each score says what there is to say.
bool Recorder::is_scored(std::size_t node) const {
  return ends_.state[node] == State::kDone ||
         (ends_.end[node].status == Status::not_applicable && failed_scoring(ends_.end[node]));
}

/// Each fault once, with all that it cost, and last those that went well: where these are saved,
/// nothing that the run asks for goes without a word, whenever it is killed.
std::vector<Recorder::Outcome> Recorder::outcomes_of(const Cell& cell) const {
  std::vector<Outcome> out;
  Outcome well;
  for (const std::size_t node : cell.score_nodes) {
    if (ends_.state[node] == State::kIdle) continue;
    if (is_scored(node)) {
      well.nodes.push_back(node);
      continue;
    }
    const JobEnd& end = ends_.end[node];
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
std::vector<results::ScoreRow> Recorder::rows_of(std::size_t index, const Outcome& outcome) {
  const Cell& cell = plan_.cells[index];
  std::vector<results::ScoreRow> rows;
  std::set<std::string> given;
  const auto add = [&](results::ScoreRow row) {
    if (given.insert(row.metric).second) rows.push_back(std::move(row));
  };
  for (const std::size_t node : outcome.nodes) {
    const JobEnd& end = ends_.end[node];
    for (const auto& score : end.scores) add(score);
    if (!is_scored(node) && !failed_scoring(end)) continue;
    for (const auto& score : scores_to_give(plan_.nodes[node]))
      if (is_scored(node))
        add({score, std::nullopt, "not_applicable",
             ends_.state[node] == State::kDone ? "the plugin did not give it" : end.message});
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

CellEnd Recorder::record(std::size_t index) {
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
  lack_.erase(index);
  return told;
}

/// Returns the seconds that it took.
double Recorder::record(const Cell& cell, const Outcome& outcome,
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
  Costs::Cost total;
  for (const std::size_t node : outcome.nodes) {
    total.add(costs_.take(node));
    parts.insert(parts.end(), ends_.end[node].parts.begin(), ends_.end[node].parts.end());
  }
  attempt.seconds = total.seconds;
  if (!outcome.nodes.empty()) attempt.peak_memory = static_cast<std::int64_t>(total.peak_memory);
  attempt.started_at = total.started_at;
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

}  // namespace conoscope::core
