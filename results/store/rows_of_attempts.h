// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace conoscope::results {

// What belongs to chosen attempts: they, their scores, and all that these refer to. Two tables, or
// expressions, that a query brings along choose: chosen_attempt (id) and named_cell (key), the cells of
// chosen attempts and of those that they were compared with.

/// Which rows of a table, called `theirs`, belong to them, as an expression; nullopt: it has none.
///
/// database  the attached one with a dot, as "other.", or empty
inline std::optional<std::string> rows_of_attempts(std::string_view table,
                                                   const std::string& database) {
  const auto named = [&](const char* part) {
    return "SELECT " + std::string(part) + " FROM " + database + "cell WHERE key IN named_cell";
  };
  const auto chosen = [&](const char* part, const char* from = "attempt", const char* id = "id") {
    return std::string("(SELECT ") + part + " FROM " + database + from + " WHERE " + id +
           " IN chosen_attempt)";
  };
  if (table == "plugin")
    return "EXISTS (SELECT 1 FROM " + database +
           "attempt WHERE attempt.id IN chosen_attempt AND instr(attempt.binaries, theirs.id || ' "
           "' "
           "|| theirs.version || ' ' || substr(theirs.sha256, 1, 16)))";
  if (table == "component")
    return "key IN (" + named("dataset") + " UNION " + named("model") + " UNION " +
           named("explainer") + ")";
  if (table == "metric_key") return "metric IN " + chosen("metric", "score", "attempt");
  if (table == "environment") return "key IN " + chosen("environment");
  if (table == "run") return "key IN " + chosen("run");
  if (table == "cell") return "key IN named_cell";
  if (table == "attempt") return "id IN chosen_attempt";
  if (table == "score" || table == "sample_score" || table == "attempt_peer" ||
      table == "attempt_checksum")
    return "attempt IN chosen_attempt";
  return std::nullopt;
}

}  // namespace conoscope::results
