#pragma once

// A folder with a store, a cache and run files, and the command called in it.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command.h"
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

  Command conoscope(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {built_conoscope().string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Command command(words);
    command.set("HOME", path("home")).set("CONOSCOPE_CACHE", cache());
    command.set("CONOSCOPE_STORE", store());
    return command;
  }

  /// Runs it and insists on the exit code.
  Ended run(const std::vector<std::string>& arguments, int code = 0) const {
    const Ended ended = conoscope(arguments).run();
    INFO("stderr: ", ended.err);
    REQUIRE(ended.signal == 0);
    REQUIRE(ended.code == code);
    return ended;
  }

  /// The answer of a command that reads, as JSON.
  Json json(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json"});
    return Json::parse(run(arguments).out);
  }
  Json query(const std::string& sql) const { return json({"query", sql}); }
  std::int64_t count(const std::string& table) const {
    return query("SELECT count(*) AS n FROM " + table)[0]["n"];
  }
  std::string exported(const std::string& store_file = "") const {
    return run({"export", "--store", store_file.empty() ? store() : store_file}).out;
  }

 private:
  Scratch scratch_;
};

/// [[dataset]] and [[model]] of the digits activations that ship, and these explainers.
inline std::string digits_run(const std::string& head, const std::vector<std::string>& explainers) {
  std::string text = head + "\n[[dataset]]\nid = \"precomputed\"\nname = \"digits\"\n";
  text += "params = { archive = \"" CONOSCOPE_TEST_DIGITS "\" }\n";
  text += "[[model]]\nid = \"precomputed\"\n";
  for (const auto& explainer : explainers) text += "[[explainer]]\nid = \"" + explainer + "\"\n";
  return text;
}

// A sanitizer makes a worker some ten times slower: fewer seeds there, the same checks.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSlow = true;
#else
inline constexpr bool kSlow = false;
#endif

/// Four explainers of different kinds and every control: 24 cells (12 when slow).
inline std::string whole_run() {
  return digits_run(std::string("seeds = ") + (kSlow ? "[0]" : "[0, 1]") +
                        "\ncontrols = [\"none\", \"random_importance\", \"random_concepts\"]\n"
                        "metrics = [\"surf\"]",
                    {"perfect", "svd", "kmeans", "nmf"});
}
inline constexpr int kWholeRunCells = kSlow ? 12 : 24;

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
