// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace conoscope::results {

// Rows of the store as plain structs, fields in the order of the columns. Times are UTC text as
// made by utc_text(); keys and ids are made by the caller, except for those of environments.

struct PluginRow {
  std::string kind, id, version, sha256, file, licence, citation;
};

struct ComponentRow {
  std::string key;
  std::string kind;  ///< dataset, model or explainer
  std::string plugin_id, plugin_version;
  std::string params;   ///< canonical text
  std::string content;  ///< hash of the data files, may be empty
  std::string name;     ///< for people: kmeans(k=5)
};

struct MetricKeyRow {
  std::string metric, grp;
  std::string direction;  ///< higher, lower or none
  std::optional<double> low, high;
  std::string unit, citation, question;
};

struct EnvironmentRow {
  std::string key, text;
};

struct RunRow {
  std::string key, name, file_text, created_at;
};

struct CellRow {
  std::string key;
  std::string dataset, model;  ///< component keys
  std::string explainer;       ///< component key; empty: the model itself is judged
  std::int64_t seed = 0;
  std::string control = "none";
};

enum class Status {
  ok,
  failed,
  crashed,
  timeout,
  out_of_memory,
  invalid_output,
  not_applicable,
  interrupted
};

/// The word in the store: "out_of_memory".
std::string_view to_text(Status status);

/// throws  std::invalid_argument: not a status
Status parse_status(std::string_view text);

struct AttemptRow {
  std::string id;  ///< unique, random
  std::string cell, run, environment;
  Status status = Status::ok;
  std::string stage;
  std::optional<std::int64_t> signal, exit_code;
  std::string message, log_tail, started_at;
  double seconds = 0;
  std::optional<std::int64_t> peak_memory;  ///< bytes
  std::string binaries;                     ///< the plugin files, see binaries.h
  /// Orders attempts: attempt_number(), unless the store has greater ones already; 0: that of now.
  std::int64_t number = 0;
};

/// Either a finite value, or none and a reason: nan, posinf, neginf, undefined, not_applicable, or
/// error, where the attempt failed at this metric.
struct ScoreRow {
  std::string metric;
  std::optional<double> value;
  std::string reason;
  std::string message = {};  ///< in words: why there is no number, or what to mind about this one
};

/// What counts of a cell, and by which plugin files it was made (AttemptRow::binaries).
struct KnownCell {
  /// Of its newest attempt that was made to its end: ok, or not_applicable where nothing can be scored.
  std::optional<Status> good;
  std::string binaries;                       ///< of that attempt
  std::map<std::string, std::string> scores;  ///< by metric: a number, or a reason other than error
};

/// What is behind a score that compares a cell with others.
struct ScoreOverSeeds {
  std::set<std::string> peers;  ///< keys of the others
  std::string binaries;         ///< of its attempt
};

/// Is it one of these?
bool is_reason(std::string_view text);

/// One part (sample, concept or output, counted from 0) of a score of the same attempt.
struct SampleScoreRow {
  std::string metric;
  std::int64_t part = 0;
  std::optional<double> value;
  std::string reason;
};

struct EventRow {
  std::string at, id, kind, text;
};

/// The row of an environment. Its key is a hash of the text, so that a change of it is found.
EnvironmentRow environment_row(std::string text);

/// A row for whatever a computation gave: a finite number as value, nan and the infinities as
/// reason.
ScoreRow score_row(std::string metric, double value, std::string message = "");
SampleScoreRow sample_score_row(std::string metric, std::int64_t part, double value);

/// Milliseconds since 1970: what orders attempts that are recorded while the clock goes on.
std::int64_t attempt_number();

/// 2026-03-01T12:00:00.250Z: fixed width, so that text order is time order. Milliseconds, rounded
/// down.
std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace conoscope::results
