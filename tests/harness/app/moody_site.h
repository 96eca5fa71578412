// SPDX-License-Identifier: Apache-2.0
#pragma once

// A place where the explainer `moody` runs on arrays of four samples: its own plugins, data and store.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/app/workspace.h"
#include "tests/support/bytes_of.h"
#include "tests/support/npy_bytes.h"

namespace conoscope::testing {

class MoodySite {
 public:
  explicit MoodySite(std::string mood = "calm", const std::string& head = "") {
    std::filesystem::create_directories(plugins());
    install(bytes_of(std::filesystem::path(CONOSCOPE_TEST_PLUGINS) / "moody.so"));
    write_activations(3);
    here.write("w.npy", npy_bytes<float>("<f4", "(2, 3)", {1, -1, 0.5f, 0.25f, 2, -2}));
    here.write("b.npy", npy_bytes<float>("<f4", "(2,)", {0, 1}));
    file = here.write("run.toml",
                      head +
                          "metrics = [\"surf_mae\", \"surf_emd\"]\n[[dataset]]\nid = "
                          "\"precomputed\"\nname = \"four\"\nparams = { activations = \"a.npy\", "
                          "head_weight = \"w.npy\", head_bias = \"b.npy\" }\n[[model]]\nid = "
                          "\"precomputed\"\n[[explainer]]\nid = \"moody\"\nparams = { mood = \"" +
                          std::move(mood) + "\" }\n");
  }

  std::string plugins() const { return here.path("plugins"); }
  void install(const std::string& moody) const { here.write("plugins/moody.so", moody); }
  void write_activations(float last) const {
    here.write("a.npy", npy_bytes<float>("<f4", "(4, 3)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, last}));
  }

  Ended run(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", file, "--no-board", "--plugin-path", plugins()});
    return here.run(more);
  }
  /// The options of `verify` and `merge --verify` with which they find what is here.
  std::vector<std::string> here_found(std::vector<std::string> words) const {
    words.insert(words.end(), {"--plugin-path", plugins(), "--data", here.path("")});
    return words;
  }
  Ended verify(int code, const std::vector<std::string>& more = {}) const {
    auto words = here_found({"verify", "--format", "json"});
    words.insert(words.end(), more.begin(), more.end());
    return here.run(words, code);
  }

  Workspace here;
  std::string file;
};

/// Another hash and nothing else: bytes behind the end, which nobody executes.
inline std::string with_other_hash(const std::string& plugin) { return plugin + "other"; }

/// The same plugin under another version, which its note and its table have.
inline std::string with_version(std::string plugin, const std::string& version) {
  const std::string before = "1.0.0";
  REQUIRE(version.size() == before.size());
  std::size_t count = 0;
  for (std::size_t at = plugin.find(before); at != plugin.npos; at = plugin.find(before, at + 1)) {
    plugin.replace(at, before.size(), version);
    ++count;
  }
  REQUIRE(count >= 2);
  return plugin;
}

}  // namespace conoscope::testing
