// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/run_file.h"

#include <doctest/doctest.h>

#include "harness/core/toml_text.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::Scratch;

namespace {

const std::string kParts = "[[dataset]]\nid = \"d\"\n[[model]]\nid = \"m\"\n";

struct Read {
  Scratch scratch;
  std::string path;
  RunFile file;
  std::vector<std::string> errors;

  explicit Read(const std::string& text, const std::string& name = "mine.toml") {
    path = scratch.write(name, text);
    Diagnostics diagnostics(path);
    file = parse_run_file(path, diagnostics);
    try {
      diagnostics.throw_if_any();
    } catch (const RunFileError& e) {
      errors = e.errors();
    }
  }
};

/// The one error that a text has, without the file's name.
std::string error_of(const std::string& text) {
  const Read read(text);
  REQUIRE_MESSAGE(read.errors.size() == 1, text);
  REQUIRE(read.errors[0].rfind(read.path + ":", 0) == 0);
  return read.errors[0].substr(read.path.size() + 1);
}

}  // namespace

TEST_CASE("every key is read") {
  const Read read(R"(name = "paper"
seeds = [3, 1]
controls = ["none", "random_concepts"]
metrics = ["surf", "surf_mae"]
plugin_path = ["plugins", "/abs/./plugins"]
sample_scores = true
summaries = true
[limits]
seconds = 1.5
memory = "2 GiB"
threads = 4
cache = 1000
[[dataset]]
id = "digits"
[[dataset]]
file = "sub/../mine.so"
name = "mine"
[[model]]
id = "cnn"
params = { zeta = 2, alpha = [0.5, 1], kind = "a", on = true }
[[explainer]]
id = "kmeans"
controls = ["random_importance"]
[[metric]]
id = "mm"
)");
  CHECK(read.errors.empty());
  const RunFile& f = read.file;
  const auto folder = std::filesystem::path(read.path).parent_path();
  CHECK(f.path == read.path);
  CHECK(f.text.rfind("name = \"paper\"", 0) == 0);
  CHECK(f.name == "paper");
  CHECK(f.seeds == std::vector<std::int64_t>{3, 1});
  CHECK(f.controls == std::vector<std::string>{"none", "random_concepts"});
  REQUIRE(f.metrics.size() == 2);
  CHECK(f.metrics[1].name == "surf_mae");
  CHECK(f.metrics[1].place.line == 4);
  CHECK(f.metrics[1].place.column == 20);
  CHECK(f.plugin_path == std::vector<std::filesystem::path>{folder / "plugins", "/abs/plugins"});
  CHECK(f.sample_scores);
  CHECK(f.summaries);
  CHECK(f.limits.seconds == 1.5);
  CHECK(f.limits.memory == std::uint64_t{2} << 30);
  CHECK(f.limits.threads == 4);
  CHECK(f.limits.cache == 1000);
  REQUIRE(f.datasets.size() == 2);
  CHECK(f.datasets[0].id == "digits");
  CHECK(f.datasets[0].place.line == 13);
  CHECK_FALSE(f.datasets[0].file.has_value());
  CHECK(f.datasets[1].file == folder / "mine.so");
  CHECK(f.datasets[1].name == "mine");
  REQUIRE(f.models.size() == 1);
  const auto& params = f.models[0].params;
  REQUIRE(params.size() == 4);  // in the order of the file
  CHECK(params[0].name == "zeta");
  CHECK(params[0].values == std::vector<Value>{std::int64_t{2}});
  CHECK(params[1].name == "alpha");
  CHECK(params[1].values == std::vector<Value>{0.5, std::int64_t{1}});
  CHECK(params[2].values == std::vector<Value>{std::string("a")});
  CHECK(params[3].values == std::vector<Value>{true});
  CHECK(params[1].place.line == 20);
  REQUIRE(f.explainers.size() == 1);
  CHECK(f.explainers[0].controls == std::vector<std::string>{"random_importance"});
  REQUIRE(f.metric_plugins.size() == 1);
  CHECK(f.metric_plugins[0].id == "mm");
}

TEST_CASE("what is left out has its default") {
  const Read read(kParts, "quick.toml");
  CHECK(read.errors.empty());
  CHECK(read.file.name == "quick");
  CHECK(read.file.seeds == std::vector<std::int64_t>{0});
  CHECK(read.file.controls == std::vector<std::string>{"none"});
  CHECK(read.file.metrics.empty());
  CHECK_FALSE(read.file.sample_scores);
  CHECK_FALSE(read.file.summaries);
  CHECK(read.file.limits.seconds == 600);
  CHECK(read.file.limits.memory == std::uint64_t{8} << 30);
  CHECK(read.file.limits.threads == 1);
}

TEST_CASE("every mistake is said at once, in the order of the file, with place and suggestion") {
  const Read read(R"(seed = [0]
controls = ["none", "random_concept"]
[limits]
second = 3
threads = 0
[[dataset]]
ids = "digits"
[[model]]
id = "m"
params = { k = [], f = { a = 1 } }
)");
  const std::vector<std::string> expected = {
      ":1:1: error: unknown key seed (did you mean seeds?)",
      ":2:21: error: unknown control random_concept (did you mean random_concepts?)",
      ":4:1: error: unknown key second (did you mean seconds?)",
      ":5:11: error: limits.threads: expected a whole number from 1 to 1024",
      ":6:1: error: [[dataset]] needs an id = \"...\"",
      ":7:1: error: unknown key ids (did you mean id?)",
      ":10:24: error: parameter f: expected a number, a text, true, false or a list of them"};
  REQUIRE(read.errors.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(read.errors[i] == read.path + expected[i]);
}

TEST_CASE("each mistake on its own") {
  const auto has = [](const std::string& text, const std::string& wanted) {
    const std::string said = error_of(text);
    CHECK_MESSAGE(said.find(wanted) != std::string::npos, said, " | ", wanted);
  };
  has("[[model]]\nid = \"m\"", "1:1: error: there is no [[dataset]]");
  has("[[dataset]]\nid = \"d\"", "1:1: error: there is no [[model]]");
  has("name = 5\n" + kParts, "1:8: error: name: expected a text in quotes");
  has("name = \"\"\n" + kParts, "1:8: error: name: expected a text in quotes");
  has("seeds = 3\n" + kParts, "seeds: expected a list of whole numbers");
  has("seeds = []\n" + kParts, "seeds: expected a list of whole numbers");
  has("seeds = [1.5]\n" + kParts, "1:10: error: seeds: expected a whole number, 0 or more");
  has("seeds = [-1]\n" + kParts, "seeds: expected a whole number, 0 or more");
  has("seeds = [4, 4]\n" + kParts, "1:13: error: seeds: 4 is listed twice");
  has("controls = \"none\"\n" + kParts, "controls: expected a list of texts");
  has("controls = []\n" + kParts, "controls: an empty list");
  has("controls = [\"none\", \"none\"]\n" + kParts, "control none is listed twice");
  has("metrics = \"surf\"\n" + kParts, "metrics: expected a list of texts");
  has("metrics = []\n" + kParts, "metrics: an empty list");
  has("metrics = [5]\n" + kParts, "1:12: error: metrics: expected a text in quotes");
  has("plugin_path = \"x\"\n" + kParts, "plugin_path: expected a list of texts");
  has("sample_scores = 1\n" + kParts, "sample_scores: expected true or false");
  has("limits = 5\n" + kParts, "limits: expected a table");
  has("limits.seconds = 0\n" + kParts, "limits.seconds: expected a number above 0");
  has("limits.seconds = inf\n" + kParts, "limits.seconds: expected a number above 0");
  has("limits.seconds = \"1\"\n" + kParts, "limits.seconds: expected a number above 0");
  has("limits.threads = 1025\n" + kParts, "limits.threads: expected a whole number");
  for (const char* bytes : {"0", "-5", "1.5", "\"\"", "\"8 gigs\"", "\"-1 GiB\"", "\"0.5 B\"",
                            "\"inf\"", "\"9e30\"", "9223372036854775807", "true"})
    has("limits.memory = " + std::string(bytes) + "\n" + kParts,
        "limits.memory: expected bytes, as \"8 GiB\"");
  has("limits.cache = \"1 XB\"\n" + kParts, "limits.cache: expected bytes");
  has("dataset = 5\n[[model]]\nid = \"m\"", "dataset: expected [[dataset]] entries");
  has("dataset = []\n[[model]]\nid = \"m\"", "dataset: expected [[dataset]] entries");
  has("[dataset]\nid = \"d\"\n[[model]]\nid = \"m\"", "dataset: expected [[dataset]] entries");
  has(kParts + "params = 5", "model.params: expected a table");
  has(kParts + "controls = [\"none\"]", "unknown key controls");
  // Of datasets and models alone.
  has(kParts + "[[explainer]]\nid = \"e\"\noptional = true", "unknown key optional");
  has(kParts + "optional = 1", "model.optional: expected true or false");
  has("[[dataset]]\nid = \"d\"\noptional = 1\n[[model]]\nid = \"m\"\n",
      "dataset.optional: expected true or false");
  has(kParts + "file = 5", "model.file: expected a text in quotes");
  has(kParts + "params.k = [1, { a = 2 }]", "parameter k: expected numbers, texts, true or false");
  has(kParts + "params.k = 1979-05-27", "parameter k: expected a number, a text");
  has(kParts + "[[explainer]]\nid = \"e\"\ncontrols = []", "controls: an empty list");
}

TEST_CASE("a memory size may have a unit") {
  const auto memory = [](const std::string& text) {
    return Read("limits.memory = " + text + "\n" + kParts).file.limits.memory;
  };
  CHECK(memory("\"512 MB\"") == 512000000);
  CHECK(memory("\"512MiB\"") == 512u << 20);
  CHECK(memory("\"1.5 KiB\"") == 1536);
  CHECK(memory("\"77\"") == 77);
  CHECK(memory("77") == 77);
}

TEST_CASE("a syntax error has its place") {
  const Scratch scratch;
  const auto path = scratch.write("bad.toml", "seeds = [0]\nname = \"unfinished\n");
  Diagnostics diagnostics(path);
  CHECK_THROWS_SAYING(parse_run_file(path, diagnostics), RunFileError, path + ":2:", ": error: ");
}

TEST_CASE("a file that cannot be read is named") {
  const Scratch scratch;
  Diagnostics diagnostics("x");
  CHECK_THROWS_SAYING(parse_run_file(scratch.path("none.toml"), diagnostics), RunFileError,
                      "none.toml: error: the run file cannot be read");
  CHECK_THROWS_SAYING(parse_run_file(scratch.path(""), diagnostics), RunFileError,
                      "the run file cannot be read");
  CHECK(Read("").errors.size() == 2);  // empty, but readable: no dataset, no model
}

TEST_CASE("a file that would exhaust memory or the stack is refused") {
  CHECK_THROWS_SAYING(Read("# " + std::string(1 << 20, '-')), RunFileError, "at most 1 MiB");
  Diagnostics diagnostics("x");
  CHECK_THROWS_SAYING(parse_run_file("/dev/zero", diagnostics), RunFileError, "a device");
  // toml++ goes one call deeper for each part.
  std::string deep = "a";
  for (int i = 0; i < 50'000; ++i) deep += i % 2 ? ".a" : ".'b.c'";
  for (const std::string& text : {"seeds = [0]\n" + deep + " = 1\n", "\n[" + deep + "]\n",
                                  "\nlimits = { " + deep + " = 1 }\n"})
    CHECK_THROWS_SAYING(Read(text), RunFileError, ":2: error: a key of more than 32 parts");
  // Dots in texts and comments are none of a key's.
  const std::string dots(100, '.');
  CHECK(Read(kParts + "# " + dots + "\nname = \"" + dots + "\\\"" + dots + "\"\n").errors.size() <=
        1);
  CHECK(line_of_deep_key("a = \"\"\"\n" + dots + "\n'\n\"\"\"\nb =  + dots + \n") == 0);
  CHECK(line_of_deep_key("a = 1\nb = \"unfinished\n" + dots) == 3);
}

TEST_CASE("a number that would be read as another is refused, with its place") {
  CHECK(Read("limits = { seconds = 1e-400 }\n" + kParts).errors.size() == 2);  // nor is it above 0
  const Read read(kParts +
                  "params = { name = \"\u03a0 1e-400\", x = -1_0e-4_00, y = [1, # 1e999\n" +
                  "0.0e-999, 1e-320, 0x1e400, 5e-325] }\n");
  REQUIRE(read.errors.size() == 2);
  CHECK(read.errors[0] ==
        read.path +
            ":5:35: error: -1_0e-4_00 is beyond the range of float64 (2.3e-308 to "
            "1.7e308)");
  CHECK(read.errors[1] ==
        read.path + ":6:28: error: 5e-325 is beyond the range of float64 (2.3e-308 to 1.7e308)");
  // toml++ refuses those that are too large.
  CHECK_THROWS_AS(Read("x = 1e400\n"), RunFileError);
  CHECK_THROWS_AS(Read("x = 9223372036854775808\n"), RunFileError);
}

TEST_CASE("a file with profiles has several sizes") {
  const std::string text = R"(profiles = ["quick", "paper"]
name = "study"
board = "across"
seeds = { quick = [0], paper = [0, 1, 2] }
[limits]
seconds = { quick = 10, paper = 1000 }
[[dataset]]
id = "d"
params = { samples = { quick = 100, paper = 5000 }, delta = 0.25, gamma = { paper = 4 } }
[[model]]
id = { quick = "small", paper = "large" }
)";
  Scratch scratch;
  const std::string path = scratch.write("study.toml", text);
  const auto read = [&](const std::string& profile) {
    Diagnostics diagnostics(path);
    RunFile file = parse_run_file(path, diagnostics, profile);
    diagnostics.throw_if_any();
    return file;
  };
  const RunFile quick = read(""), paper = read("paper");
  CHECK(quick.profile == "quick");
  CHECK(quick.name == "study");
  CHECK(quick.board == conoscope::results::BoardKind::across);
  CHECK(quick.seeds == std::vector<std::int64_t>{0});
  CHECK(quick.limits.seconds == 10);
  CHECK(quick.models[0].id == "small");
  CHECK(read("quick").name == "study");
  CHECK(paper.profile == "paper");
  CHECK(paper.name == "study-paper");
  CHECK(paper.seeds == std::vector<std::int64_t>{0, 1, 2});
  CHECK(paper.limits.seconds == 1000);
  CHECK(paper.models[0].id == "large");
  const auto samples = [](const RunFile& file) {
    for (const auto& request : file.datasets[0].params)
      if (request.name == "samples") return std::get<std::int64_t>(request.values.at(0));
    return std::int64_t{-1};
  };
  CHECK(samples(quick) == 100);
  CHECK(samples(paper) == 5000);
  CHECK(quick.datasets[0].params.size() == 2);  // gamma is not set there
  CHECK(paper.datasets[0].params.size() == 3);
  CHECK_THROWS_SAYING(read("papr"), RunFileError, "there is no profile papr", "paper");
}

TEST_CASE("mistakes with profiles and the board") {
  CHECK(error_of(kParts + "[limits]\nseconds = { quick = 1, paper = 2 }\n")
            .find("limits.seconds: expected a number") != std::string::npos);
  CHECK(error_of("board = \"sanitty\"\n" + kParts) ==
        "1:9: error: unknown board sanitty (did you mean sanity?)");
  Scratch scratch;
  Diagnostics diagnostics("x");
  for (const char* bad : {"profiles = []\n", "profiles = 3\n", "profiles = [1]\n"})
    CHECK_THROWS_SAYING(parse_run_file(scratch.write("a.toml", bad + kParts), diagnostics),
                        RunFileError, ":1:12: error: profiles: expected a list of names");
  CHECK_THROWS_SAYING(
      parse_run_file(scratch.write("b.toml", "profiles = [\"a\", \"a\"]\n" + kParts), diagnostics),
      RunFileError, "profiles: a is listed twice");
  CHECK_THROWS_SAYING(parse_run_file(scratch.write("c.toml", kParts), diagnostics, "paper"),
                      RunFileError, "there is no profile paper; the file has no `profiles`");
}
