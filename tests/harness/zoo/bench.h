// SPDX-License-Identifier: Apache-2.0
#pragma once

// The command in a folder of its own, for runs of good and broken plugins.

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/harness/zoo/environment.h"
#include "tests/support/content_of.h"
#include "tests/support/scratch.h"

namespace conoscope::testing {

struct Said {
  int code = -1;
  std::string out, err;
};

/// What a worker may hold. What takes memory without end has to get there in the seconds that it has,
/// on a machine that is slow to hand it out, too.
inline const std::string kMemory = kSanitized ? "512 MiB" : "256 MiB";

/// Seconds of a job. Good plugins take half a second at most here, so this is a limit only for what
/// takes memory without end; what hangs is waited for, so it gets less.
inline const int kSeconds = kSanitized ? 60 : 4;
inline const int kSecondsToHang = kSanitized ? 12 : 4;

/// The command in a folder, with a cache and a store, of its own.
class Bench {
 public:
  Bench() { let_workers_die_naturally(); }

  /// under  what the command is started by, as "timeout 5"
  Said operator()(const std::string& arguments, const std::string& under = "") const {
    const std::string line = "cd '" + scratch.path("") +
                             "' && CONOSCOPE_CACHE=cache XDG_DATA_HOME=. " + under + " '" +
                             CONOSCOPE_TEST_COMMAND + "' " + arguments + " > out.txt 2> err.txt";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(scratch.path("out.txt")),
            content_of(scratch.path("err.txt"))};
  }

  /// `plugins`: the [[explainer]] and other entries.
  void run_file(const std::string& name, const std::string& plugins, int seconds = kSeconds) const {
    scratch.write(name + ".toml",
                  "name = \"" + name +
                      "\"\nseeds = [0]\nmetrics = [\"surf\"]\n[limits]\nseconds = " +
                      std::to_string(seconds) + "\nmemory = \"" + kMemory + "\"\n" + plugins);
  }

  nlohmann::json failures(const std::string& run) const {
    const Said said = (*this)("status " + run + " --format json");
    REQUIRE(said.code == 0);
    return nlohmann::json::parse(said.out)["failures"];
  }

  Scratch scratch;
};

inline std::string entry(const std::string& kind, const std::string& line) {
  return "[[" + kind + "]]\n" + line + "\n";
}
inline std::string broken_entry(const std::string& kind, const std::string& name) {
  return entry(kind, "file = \"" + broken_plugin(name) + "\"");
}
inline const std::string kSubject =
    entry("dataset", "id = \"precomputed\"\nparams = { archive = \"" +
                         std::string(CONOSCOPE_TEST_DIGITS) + "\" }") +
    entry("model", "id = \"precomputed\"");

}  // namespace conoscope::testing
