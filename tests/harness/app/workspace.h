// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder with a store, a cache and run files, and the command called in it.

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"

namespace conoscope::testing {

using Json = nlohmann::json;

class Workspace {
 public:
  std::string path(const std::string& name) const { return scratch_.path(name); }
  std::string write(const std::string& name, std::string_view bytes) const {
    return scratch_.write(name, bytes);
  }
  /// Unique to this workspace; stands in the command line of each of its workers.
  std::string cache() const { return path("cache"); }
  std::string store() const { return path("results.db"); }

  Command conoscope(const std::vector<std::string>& arguments) const;
  /// The same, by a shell that has done this first: "ulimit -s 64".
  Command conoscope_after(const std::string& script,
                          const std::vector<std::string>& arguments) const;

  /// Runs it and insists on the exit code.
  Ended run(const std::vector<std::string>& arguments, int code = 0) const;
  /// Does the run of a run file with this text, without its board.
  Ended run_text(const std::string& text, std::vector<std::string> more = {}, int code = 0) const;

  /// The answer of a command that reads, as JSON.
  Json json(std::vector<std::string> arguments) const;
  Json query(const std::string& sql) const { return json({"query", sql}); }
  std::int64_t count(const std::string& table) const;
  /// The message of each cell that failed, all at this stage ("model: fit"), by its model, or its
  /// dataset where that is the stage's.
  std::map<std::string, std::string> failures_at(const std::string& stage) const;
  std::string exported(const std::string& store_file = "") const;
  /// Models that are trained need libtorch, which a build may leave out.
  bool can_train() const;

 private:
  Command in_place(Command command) const;

  Scratch scratch_;
};

/// [[dataset]] and [[model]] of the digits activations that ship, and these explainers.
std::string digits_run(const std::string& head, const std::vector<std::string>& explainers);

/// Four explainers of different kinds and every control: 24 cells (12 under a sanitizer).
std::string whole_run();
inline constexpr int kWholeRunCells = kSanitized ? 12 : 24;

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace conoscope::testing

#define CHECK_SAYS(text, part)                                                             \
  do {                                                                                     \
    const std::string said_ = (text), part_ = (part);                                      \
    CHECK_MESSAGE(conoscope::testing::has(said_, part_), "wanted: ", part_, " | ", said_); \
  } while (false)

#define SKIP_TEST(why)           \
  do {                           \
    MESSAGE("skipped: ", (why)); \
    return;                      \
  } while (false)
