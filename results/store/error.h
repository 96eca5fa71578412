// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace conoscope::results {

/// What went wrong with a store, for callers that act on it: a full disk means "could not save"
/// (exit code 5 of the command), a newer schema means "use a newer conoscope".
enum class StoreProblem {
  cannot_open,     ///< no such file or folder, or no permission
  not_a_database,  ///< the file is not SQLite
  not_a_store,     ///< SQLite, but of another program
  newer_schema,    ///< made by a newer conoscope
  read_only,       ///< the file or its folder cannot be written
  disk_full,
  busy,        ///< another process held the lock for longer than the timeout
  corrupt,     ///< the file is damaged
  constraint,  ///< a row breaks a rule of the schema: unknown cell, value and reason, ...
  conflict,    ///< the same key with another content
  not_found,   ///< no such run, cell or attempt, or more than one fits
  refused,     ///< a query that would write
  bad_query,   ///< a query that SQLite does not understand
  out_of_memory,
  io,
  internal
};

/// The word itself: "disk_full".
std::string_view to_text(StoreProblem problem);

class StoreError : public std::runtime_error {
 public:
  StoreError(StoreProblem problem, const std::string& message)
      : std::runtime_error(message), problem_(problem) {}

  StoreProblem problem() const noexcept { return problem_; }

 private:
  StoreProblem problem_;
};

}  // namespace conoscope::results
