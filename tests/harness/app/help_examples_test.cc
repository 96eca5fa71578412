// SPDX-License-Identifier: Apache-2.0
// Every example that a help text prints is run as it is printed, in a folder that holds what it
// names. A command without an example fails.

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/harness/app/workspace.h"
#include "tests/support/own_arrays.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

struct Help {
  std::string command, text;
  std::vector<std::string> examples;  ///< the lines below "Examples:"
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// The help texts of a command: its own if that has examples, else those of the commands it lists.
void collect(const Workspace& here, const std::vector<std::string>& words, std::vector<Help>& out) {
  auto arguments = words;
  arguments.emplace_back("--help");
  Help help{"conoscope", here.run(arguments).out, {}};
  for (const auto& word : words) help.command += " " + word;
  const auto lines = lines_of(help.text);
  if (const auto head = std::ranges::find(lines, "Examples:"); head != lines.end()) {
    for (auto line = head + 1; line != lines.end() && line->starts_with("  "); ++line)
      help.examples.push_back(line->substr(2));
    out.push_back(help);
    return;
  }
  std::size_t listed = 0;
  for (const auto& line : lines) {
    const std::size_t end = line.find(' ', 2);
    if (!line.starts_with("  ") || end == line.npos || end == 2) continue;
    ++listed;
    auto inner = words;
    inner.push_back(line.substr(2, end - 2));
    collect(here, inner, out);
  }
  CHECK_MESSAGE(listed > 0, help.command, " --help: neither examples nor commands");
}

fs::path plugin_of_build(const std::string& id) {
  return built_conoscope().parent_path().parent_path() / "lib/conoscope/plugins" / (id + ".so");
}

/// A folder as the examples suppose it: run files, data, plugins, and a store that knows the runs.
class World {
 public:
  World() {
    fs::create_directories(path("build"));
    write("quick.toml", faithfulness("quick"));
    write("full.toml", faithfulness("full"));
    write("sanity.toml", faithfulness("sanity"));
    write("my.toml", faithfulness("mine"));
    write("leakage_causes.toml",
          concept_models("leakage_causes", "profiles = [\"quick\", \"paper\"]\n"));
    write("leakage_vs_intervention.toml", concept_models("leakage_vs_intervention", ""));
    write("pictures.toml", concept_models("pictures", "summaries = true\n"));
    auto sweep = digits_run(
        "name = \"parsimony\"\nseeds = [0, 1]\nmetrics = [\"surf_mae\", \"surf_emd\", "
        "\"completeness\", \"effective_concepts\"]",
        {"svd"});
    write("parsimony.toml", sweep + "params = { k = [1, 2] }\n");
    write("wine.csv", "alcohol,class\n14.2,a\n13.2,b\n12.4,a\n13.1,b\n14.0,a\n13.3,b\n");
    fs::copy(CONOSCOPE_TEST_DIGITS, path("arrays.npz"));
    write_own_arrays();
    fs::copy(plugin_of_build("precomputed_dataset"), path("my_data.so"));
    fs::copy(plugin_of_build("conoscope_npz"),
             path("conoscope_npz.so"));  // reads arrays.npz for it
    fs::copy(CONOSCOPE_TEST_MY_METHOD, path("build/my_method.so"));
    fs::copy(CONOSCOPE_TEST_BROKEN "/score_upside_down.so", path("my_metric.so"));
    for (const std::string name :
         {"full", "sanity", "parsimony", "pictures", "leakage_vs_intervention", "quick"})
      REQUIRE(run("conoscope run " + name + ".toml --no-board -j 2").code == 0);
    for (const std::string copy : {"last-month.db", "shard1.db", "shard2.db"})
      fs::copy(path("conoscope.db"), path(copy));
    const Ended keys =
        run("conoscope query \"SELECT cell AS key FROM run_cell JOIN run ON run.key = "
            "run_cell.run WHERE run.name = 'quick' LIMIT 1\" --format json");
    cell_ = Json::parse(keys.out)[0]["key"];
  }

  /// The same files in a folder of its own, which examples may change.
  World(const World& other) : cell_(other.cell_) {
    fs::copy(other.path(""), path(""), fs::copy_options::recursive);
  }
  World& operator=(const World&) = delete;

  /// What `cmake` would have left of the folder that `plugin new` wrote, and a shorter run.
  void build_my_method() const {
    fs::create_directories(path("my_method/build"));
    fs::copy(CONOSCOPE_TEST_MY_METHOD, path("my_method/build/my_method.so"));
    write(
        "my_method/run.toml",
        digits_run("seeds = [0]\nmetrics = [\"surf\"]\nplugin_path = [\"build\"]", {"my_method"}));
  }

  /// The key that stands in the examples is made up; here it is one of the store's.
  Ended run(std::string line) const {
    const std::string made_up = " 3fa9";
    if (const auto at = line.find(made_up); at != line.npos)
      line.replace(at, made_up.size(), " " + cell_);
    const std::string bin = built_conoscope().parent_path().string();
    return Command({"/bin/sh", "-c", "cd '" + path("") + "' && " + line})
        .set("HOME", path("home"))
        .set("CONOSCOPE_CACHE", path("cache"))
        .set("PATH", bin + ":/usr/bin:/bin")
        .run(300);
  }

 private:
  std::string path(const std::string& name) const { return scratch_.path(name); }
  void write(const std::string& name, const std::string& text) const { scratch_.write(name, text); }

  /// What `measure` is given: an explained head view; a bottleneck's concepts; codes.
  void write_own_arrays() const {
    write_explained_digits(CONOSCOPE_TEST_DIGITS, path("explained.npz"), false);
    std::vector<std::int64_t> labels, truth;
    std::vector<double> scores;
    for (std::int64_t i = 0; i < 60; ++i) {
      labels.push_back(i % 2);
      for (std::int64_t j = 0; j < 3; ++j) {
        truth.push_back((i >> j) % 2);
        scores.push_back((0.8 * static_cast<double>(truth.back())) +
                         0.003 * static_cast<double>(i));
      }
    }
    write("y.npy", npy_of<std::int64_t>({60}, labels));
    write("c.npy", npy_of<std::int64_t>({60, 3}, truth));
    write("c_hat.npy", npy_of<double>({60, 3}, scores));
    write("codes.npy", npy_of<double>({60, 3}, scores));
    write("factors.npy", npy_of<std::int64_t>({60, 3}, truth));
  }

  static std::string faithfulness(const std::string& name) {
    return digits_run("name = \"" + name +
                          "\"\nseeds = [0, 1]\ncontrols = [\"none\", \"random_importance\", "
                          "\"random_concepts\"]\nmetrics = [\"surf\"]",
                      {"perfect", "random_importance", "random_concepts", "svd", "kmeans"});
  }

  static std::string concept_models(const std::string& name, const std::string& more) {
    return "name = \"" + name + "\"\nseeds = [0, 1]\n" + more +
           "metrics = [\"ctl\", \"icl\", \"intervention\"]\n"
           "[[dataset]]\nid = \"tabular_toy\"\nparams = { samples = 300 }\n"
           "[[model]]\nid = \"ladder_concepts\"\nparams = { step = [\"perfect\", \"half\", "
           "\"random\"], disturbance = [\"shuffled\", \"mixed\"] }\n";
  }

  Scratch scratch_;
  std::string cell_;
};

/// The command of an example that sends its output on: that alone is run, its output is looked at.
std::string without_redirection(const std::string& line) {
  return line.substr(0, std::min(line.find(" > "), line.find(" | ")));
}

}  // namespace

TEST_CASE("help: every example runs as it is printed") {
  const Workspace here;
  const bool can_train = here.can_train();
  std::vector<Help> all;
  collect(here, {}, all);
  CHECK(all.size() >= 18);
  std::vector<std::string> seen;

  const World world;
  const bool numpy = world.run("python3 -c 'import numpy'").code == 0;
  for (const Help& help : all) {
    CAPTURE(help.command);
    CHECK(!help.examples.empty());
    const World own(world);
    for (auto line : help.examples) {
      CAPTURE(line);
      seen.push_back(line);
      if (line.starts_with("conoscope reproduce ")) {
        if (!can_train) continue;                         // the studies' models are then unknown
        if (!has(line, "--no-run")) line += " --no-run";  // the studies of a paper take an hour
      }
      if (line.starts_with("cmake ")) {
        own.build_my_method();
        continue;
      }
      const bool python = line.starts_with("python3 ");
      if (python && !numpy) continue;
      REQUIRE((python || line.starts_with("conoscope ")));
      const Ended ended = own.run(without_redirection(line));
      INFO("stdout: ", ended.out);
      INFO("stderr: ", ended.err);
      CHECK(ended.signal == 0);
      // compare finds a difference or does not; every other example goes well.
      const bool may_differ = has(help.text, "Exit code 6:");
      CHECK((ended.code == 0 || (may_differ && ended.code == 6)));
      CHECK(!(ended.out + ended.err).empty());
    }
  }
  CHECK(std::ranges::count(seen, "conoscope plugin list explainer --format json") == 1);
}
