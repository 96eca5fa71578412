// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/verification.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "numerics/sha256.h"
#include "results/boards/run_metrics.h"
#include "results/formats/numbers.h"
#include "results/store/binaries.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

/// The whole score stands before its parts.
constexpr std::int64_t kWhole = -1;

struct Number {
  std::optional<double> value;
  std::string reason;

  std::string text() const { return value ? shortest_text(*value) : reason; }
};

std::map<std::pair<std::string, std::int64_t>, Number> numbers_of(Store& store,
                                                                  const std::string& attempt) {
  Statement& rows = store.connection().kept(
      "SELECT metric, -1, value, reason FROM score "
      "WHERE attempt = ?1 AND reason IS NOT 'error' UNION ALL "
      "SELECT metric, part, value, reason FROM sample_score WHERE attempt = ?1");
  rows.bind_all(attempt);
  std::map<std::pair<std::string, std::int64_t>, Number> out;
  while (rows.step()) {
    Number number;
    if (rows.is_null(2))
      number.reason = rows.text(3);
    else
      number.value = rows.real(2);
    out[{rows.text(0), rows.integer(1)}] = number;
  }
  rows.reset();
  return out;
}

/// In a unit of whole things, by this program's own word, and whole.
bool is_count(Store& again, const std::string& metric, const Number& number) {
  constexpr std::string_view kCounted[] = {"FLOP per sample", "classes", "concepts",
                                           "parameters",      "rows",    "samples"};
  if (!number.value || std::floor(*number.value) != *number.value) return false;
  Statement& unit = again.connection().kept("SELECT unit FROM metric_key WHERE metric = ?");
  const bool counted = unit.bind_all(metric).step() &&
                       std::ranges::find(kCounted, unit.text(0)) != std::end(kCounted);
  unit.reset();
  return counted;
}

bool same(const Number& a, const Number& b) {
  return a.reason == b.reason && a.value.has_value() == b.value.has_value() &&
         (!a.value ||
          std::bit_cast<std::uint64_t>(*a.value) == std::bit_cast<std::uint64_t>(*b.value));
}

ScoreDifference difference(const std::string& metric, std::int64_t part, const Number& stored,
                           const Number& again) {
  ScoreDifference out{metric, std::nullopt, stored.text(), again.text(), std::nullopt, false};
  if (part != kWhole) out.part = part;
  if (stored.value && again.value) {
    const double a = *stored.value, b = *again.value;
    out.by = std::abs(a - b);
    out.within = *out.by <= kElsewhere * std::max({1.0, std::abs(a), std::abs(b)});
  }
  return out;
}

/// What is no number on one side is further away than any number.
bool worse(const ScoreDifference& a, const ScoreDifference& b) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  return a.by.value_or(kFar) > b.by.value_or(kFar);
}

/// "name: value" lines that decide digits. A plugin in a process of its own is named by its file,
/// wherever that lies, and stands for the versions of what runs it.
std::map<std::string, std::string> environment_of(const std::string& text) {
  std::map<std::string, std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    std::string name = line.substr(0, colon), value = line.substr(colon + 2);
    if (name == "system" || name == "confinement" || name.starts_with("artifact ")) continue;
    if (name == "plugin") {  // FILE: INTERPRETER, VERSION, ...
      const std::string file = value.substr(0, value.find(": "));
      name += " " + file.substr(file.find_last_of('/') + 1);
      value = value.find(", ") == value.npos ? "" : value.substr(value.find(", ") + 2);
    }
    out[name] = value;
  }
  return out;
}

void add_differences(const std::map<std::string, std::string>& stored,
                     const std::map<std::string, std::string>& again,
                     std::vector<EnvironmentDifference>& out) {
  for (const auto& [what, here] : again) {
    const auto it = stored.find(what);
    const std::string there = it == stored.end() ? "not recorded" : it->second;
    if (there != here) out.push_back({what, there, here});
  }
}

}  // namespace

std::vector<Outcome> outcomes_that_count(Store& store, const std::string& run,
                                         const std::set<std::string>& known) {
  Statement rows(
      store.connection(),
      "SELECT good.id, good.cell, attempt.run, d.name || ' x ' || m.name || "
      "ifnull(' x ' || e.name, '') || ' #' || cell.seed || "
      "CASE cell.control WHEN 'none' THEN '' ELSE ' ' || cell.control END, "
      "CASE WHEN good.id IN (SELECT attempt FROM current_score) THEN 'ok' ELSE good.status END, "
      "environment.text, attempt.binaries, "
      "cell.dataset || ' ' || cell.model || ' ' || ifnull(cell.explainer, '-') "
      "FROM valid_attempt AS good JOIN attempt ON attempt.id = good.id "
      "JOIN environment ON environment.key = good.environment JOIN cell ON cell.key = good.cell "
      "JOIN component AS d ON d.key = cell.dataset JOIN component AS m ON m.key = cell.model "
      "LEFT JOIN component AS e ON e.key = cell.explainer "
      "WHERE (good.id IN (SELECT attempt FROM current_score) OR good.id = ("
      "  SELECT newest.id FROM valid_attempt AS newest WHERE newest.cell = good.cell "
      "  AND newest.status IN ('ok', 'not_applicable') "
      "  ORDER BY newest.number DESC, newest.id DESC LIMIT 1)) "
      "AND (?1 = '' OR EXISTS (SELECT 1 FROM run_cell WHERE run_cell.run = ?1 "
      "                        AND run_cell.cell = good.cell)) "
      "ORDER BY good.cell, good.id");
  rows.bind(1, run);
  std::vector<Outcome> out;
  while (rows.step())
    if (!known.contains(rows.text(0)))
      out.push_back({rows.text(0),
                     rows.text(1),
                     rows.text(2),
                     rows.text(3),
                     rows.text(4),
                     rows.text(5),
                     rows.text(6),
                     {},
                     rows.text(7)});
  Statement& peers =
      store.connection().kept("SELECT cell FROM attempt_peer WHERE attempt = ? ORDER BY cell");
  for (Outcome& one : out) {
    peers.bind_all(one.attempt);
    while (peers.step()) one.peers.push_back(peers.text(0));
    peers.reset();
  }
  return out;
}

std::vector<Outcome> sample_of(std::vector<Outcome> outcomes, std::size_t n, std::uint64_t seed) {
  if (outcomes.size() <= n) return outcomes;
  const auto place = [seed](const Outcome& outcome) {
    return numerics::Sha256().field(std::to_string(seed)).field(outcome.attempt).hex();
  };
  std::vector<std::pair<std::string, std::size_t>> order;
  for (std::size_t i = 0; i < outcomes.size(); ++i) order.emplace_back(place(outcomes[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<Outcome> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(std::move(outcomes[order[i].second]));
  return out;
}

std::vector<Outcome> sample_of_rows(std::vector<Outcome> outcomes, std::size_t n,
                                    std::uint64_t seed) {
  std::map<std::string, std::vector<Outcome>> rows;
  for (Outcome& one : outcomes) rows[one.row].push_back(std::move(one));
  std::vector<Outcome> out;
  for (auto& [row, of_row] : rows)
    std::ranges::move(sample_of(std::move(of_row), n, seed), std::back_inserter(out));
  return out;
}

std::vector<EnvironmentDifference> environment_differences(const Outcome& stored,
                                                           const Outcome& again) {
  std::vector<EnvironmentDifference> out;
  add_differences(environment_of(stored.environment), environment_of(again.environment), out);
  add_differences(files_of(stored.binaries), files_of(again.binaries), out);
  return out;
}

ScoreComparison compare_scores(Store& stored, const std::string& attempt, Store& again,
                               const std::string& other_attempt) {
  const auto before = numbers_of(stored, attempt), now = numbers_of(again, other_attempt);
  ScoreComparison out;
  std::map<std::string, ScoreDifference> worst;
  for (const auto& [which, number] : before) {
    const auto& [metric, part] = which;
    out.scores += part == kWhole;
    if (const auto claimed = direction_of(stored, metric), is = direction_of(again, metric);
        part == kWhole && claimed != is)
      out.differences.push_back(
          {metric, std::nullopt, "better: " + claimed, "better: " + is, std::nullopt, false});
    const auto it = now.find(which);
    const Number other = it == now.end() ? Number{std::nullopt, "no score"} : it->second;
    if (same(number, other)) continue;
    ScoreDifference found = difference(metric, part, number, other);
    if (part == kWhole && is_count(again, metric, other)) found.within = false;
    const auto [place, fresh] = worst.try_emplace(metric, found);
    // The score itself is the better witness of what happened to it.
    if (!fresh && place->second.within && !found.within)
      place->second = std::move(found);
    else if (!fresh && place->second.part && worse(found, place->second))
      place->second = std::move(found);
  }
  for (auto& [metric, found] : worst) out.differences.push_back(std::move(found));
  return out;
}

std::vector<ScoreDifference> scores_left_out(Store& stored, const Outcome& outcome, Store& again,
                                             const std::string& other_attempt) {
  Statement& is_asked = stored.connection().kept(
      "SELECT 1 FROM run_metric WHERE run = ?1 AND metric = ?2 AND NOT EXISTS (SELECT 1 FROM score "
      "JOIN attempt ON attempt.id = score.attempt WHERE attempt.cell = ?3 AND score.metric = ?2)");
  std::vector<ScoreDifference> out;
  for (const auto& [which, number] : numbers_of(again, other_attempt)) {
    const auto& [metric, part] = which;
    if (part == kWhole && is_asked.bind_all(outcome.run, metric, outcome.cell).step())
      out.push_back({metric, std::nullopt, "no score", number.text(), std::nullopt, false});
    is_asked.reset();
  }
  return out;
}

RepeatedOutcome compare_outcomes(const Outcome& stored, const Outcome& again,
                                 const ScoreComparison& scores) {
  RepeatedOutcome out;
  out.elsewhere = environment_differences(stored, again);
  const ScoreDifference* furthest = nullptr;
  for (const auto& difference : scores.differences) {
    if (out.elsewhere.empty() || !difference.within)
      out.differences.push_back(difference);
    else if (furthest == nullptr || *furthest->by < *difference.by)
      furthest = &difference;
  }
  if (stored.status != again.status)
    out.differences.push_back({"", std::nullopt, stored.status, again.status, std::nullopt, false});
  if (!out.differences.empty()) {
    out.repetition = Repetition::kDiffers;
  } else if (furthest != nullptr) {
    out.repetition = Repetition::kWithin;
    out.differences.push_back(*furthest);
  }
  return out;
}

}  // namespace conoscope::results
