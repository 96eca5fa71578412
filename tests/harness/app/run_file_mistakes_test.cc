// SPDX-License-Identifier: Apache-2.0
// Every mistake in a run file or on the command line: where, what, what was perhaps meant; exit
// code 2; and nothing that was there is lost.

#include <algorithm>

#include "tests/harness/app/workspace.h"
#include "tests/support/capture_binding.h"

using namespace conoscope::testing;

namespace {

/// Runs a run file that cannot be run.
std::string refusal(const Workspace& here, const std::string& text) {
  const auto file = here.write("bad.toml", text);
  for (const char* command : {"plan", "run"}) {
    const Ended ended = here.run({command, file}, 2);
    CHECK(ended.out.empty());
    if (std::string(command) == "run") return ended.err;
  }
  return "";
}

std::string component(const std::string& kind, const std::string& id, const std::string& params) {
  return "[[" + kind + "]]\nid = \"" + id + "\"\n" +
         (params.empty() ? "" : "params = { " + params + " }\n");
}

}  // namespace

TEST_CASE("a run file that is not there, or is no run file") {
  const Workspace here;
  CHECK_SAYS(here.run({"run", here.path("none.toml")}, 2).err, "none.toml: no such file");
  CHECK_SAYS(here.run({"run", "quik"}, 2).err, "(did you mean quick?)");
  CHECK_SAYS(here.run({"run", "quik.toml"}, 2).err, "(did you mean quick?)");
  // Names that have nothing but their ending in common are not near each other.
  const std::string none = here.run({"run", "nope.toml"}, 2).err;
  CHECK_SAYS(none, "nope.toml: no such file, and no run file of that name ships (`ls ");
  CHECK_SAYS(none, "runs` lists them)");
  const std::string syntax = refusal(here, "name = \"x\"\nseeds = [0, 1\n[[dataset]]\n");
  CHECK_SAYS(syntax, "bad.toml:3:");
  CHECK_SAYS(syntax, "error: ");
  CHECK_SAYS(refusal(here, std::string("\x7f"
                                       "ELF\0\1\2",
                                       7)),
             "bad.toml:1:");
  CHECK_SAYS(refusal(here, ""), "there is no [[dataset]]");
  CHECK_SAYS(here.run({"run", here.path("")}, 2).err, "no such file");
}

TEST_CASE("every mistake is named at once, with its place and a suggestion") {
  const Workspace here;
  const std::string said = refusal(here,
                                   "name = \"x\"\n"                                           // 1
                                   "sedes = [0]\n"                                            // 2
                                   "controls = [\"none\", \"random_concept\"]\n"              // 3
                                   "metrics = [\"surf_mea\"]\n"                               // 4
                                   "\n"                                                       // 5
                                   "[limits]\n"                                               // 6
                                   "memory = \"8 Gib\"\n"                                     // 7
                                   "\n"                                                       // 8
                                   "[[dataset]]\n"                                            // 9
                                   "id = \"digit\"\n"                                         // 10
                                   "[[model]]\n"                                              // 11
                                   "id = \"precomputed\"\n"                                   // 12
                                   "params = { k = 3 }\n"                                     // 13
                                   "[[explainer]]\n"                                          // 14
                                   "id = \"kmeans\"\n"                                        // 15
                                   "params = { kk = 3, k = 2.5, n_init = 0, tol = \"x\" }\n"  // 16
                                   "[[explainer]]\n"                                          // 17
                                   "name = \"anonymous\"\n");                                 // 18
  for (const char* part :
       {"bad.toml:2:1: error: unknown key sedes (did you mean seeds?)",
        "bad.toml:3:21: error: unknown control random_concept (did you mean random_concepts?)",
        "bad.toml:4:12: error: no metric surf_mea (did you mean surf_mae?)",
        "bad.toml:7:10: error: limits.memory: expected bytes",
        "bad.toml:9:1: error: no dataset digit (did you mean digits?)",
        "bad.toml:13:12: error: precomputed: takes no parameters, so no k",
        "bad.toml:16:12: error: kmeans: no parameter kk (did you mean k?)",
        "bad.toml:16:20: error: kmeans: k = 2.5: expected a whole number",
        "bad.toml:16:29: error: kmeans: n_init = 0: expected a number from 1 to 2147483647",
        "bad.toml:16:41: error: kmeans: tol = \"x\": expected a number",
        "bad.toml:17:1: error: [[explainer]] needs an id"})
    CHECK_SAYS(said, std::string(part));
}

TEST_CASE("one mistake at a time") {
  const Workspace here;
  const std::string model = component("model", "precomputed", "");
  const std::string data = "archive = \"" CONOSCOPE_TEST_DIGITS "\"";
  const std::string good = component("dataset", "precomputed", data) + model;
  const std::string too_long(300, 'x');
  // What a file and its parts may say wrong is in the tests of core/plan.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {component("dataset", "precomputed", "archive = \"gone.npz\"") + model,
       "gone.npz: no such file"},
      {component("dataset", "precomputed", data + ", pooling = \"max\"") + model,
       "expected one of auto, mean"},
      {"seeds = [0, 0]\n" + good, "1:13: error: seeds: 0 is listed twice"},
      {good + "[[explainer]]\nfile = \"" + too_long + "\"\n", too_long + ": File name too long"},
      {component("dataset", "precomputed", "archive = \"" + too_long + "\"") + model,
       too_long + ": File name too long"},
  };
  for (const auto& [text, part] : cases) {
    CAPTURE_BINDING(text);
    const std::string said = refusal(here, text);
    CHECK_SAYS(said, part);
    CHECK_SAYS(said, "bad.toml:");
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);  // and one message
  }
}

TEST_CASE("a mistake leaves the results as they were") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf\"]", {"perfect"}));
  here.run({"run", file});
  const std::string before = here.exported();
  refusal(here, digits_run("metrics = [\"surf_mea\"]", {"perfect"}));
  refusal(here, "not TOML");
  CHECK(here.exported() == before);
  CHECK(here.count("run") == 1);
}

TEST_CASE("the command line: no guessing, but suggestions") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("", {"perfect"}));
  const std::string too_long(300, 'x');  // for a file's name
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"bord"}, "no command bord (did you mean board?)"},
      {{"run", file, "--jbos", "2"}, "no option --jbos (did you mean --jobs?)"},
      {{"run", file, "--job", "2"}, "no option --job (did you mean --jobs?)"},
      {{"run", file, "-j", "0"}, "--jobs: expected a number from 1 to 1024"},
      {{"run", file, "-j", "two"}, "two"},
      {{"run", file, "-j", "-1"}, "--jobs: expected a number from 1 to 1024"},
      {{"run", file, "-j", "-18446744073709551614"}, "'--jobs' is invalid"},
      {{"run", file, "--retry=-1"}, "--retry: expected a number from 0 to 1000"},
      {{"cache", "--trim=-1"}, "--trim: expected a number, 0 or more"},
      {{"query", "SELECT 1", "--rows=-1"}, "--rows: expected a number, 0 or more"},
      {{"query", "SELECT 1", "--seconds", "1e10"}, "--seconds: expected a number above 0, at most"},
      {{"query", "SELECT 1", "--seconds", "0"}, "--seconds: expected a number above 0, at most"},
      {{"query", "SELECT 1", "--seconds", "nan"}, "--seconds: expected a number above 0, at most"},
      {{"verify", "--sample=-1"}, "--sample: expected a number, 1 or more"},
      {{"merge", "a.db", "--verify=-1"}, "--verify: expected a number, 1 or more"},
      {{"reproduce", "surf", "-j", "0"}, "--jobs: expected a number from 1 to 1024"},
      {{"run", file, "--format", "nonsense"}, "--format nonsense: no such format"},
      {{"run", file, "--format", "jsn"}, "did you mean json?"},
      {{"run", file, "--only", "explainr=svd"}, "did you mean explainer?"},
      {{"run", file, "--only", "explainer=svd"}, "--only explainer=svd: no cell of this run fits"},
      {{"run", file, "--plugin-path", here.path("nowhere")}, "not a folder"},
      {{"run", file, "--plugin-path", too_long}, too_long},
      {{"run", file, "second.toml"}, "too many arguments"},
      {{"merge"}, "which stores?"},
      {{"measure", too_long}, "no metric, group, metric plugin or file " + too_long},
      {{"measure", too_long + ".npz"}, too_long + ".npz: File name too long"},
      {{"measure", "labels=" + too_long}, too_long + ": File name too long"},
      {{"measure", too_long + "=y.npy"}, "no array is called " + too_long},
      {{"worker"}, "not by hand"},
  };
  for (const auto& [words, part] : cases) {
    const std::string& word = words.back();
    CAPTURE(word);
    const Ended ended = here.run(words, 2);
    CHECK_SAYS(ended.err, part);
    CHECK(ended.out.empty());
  }
  CHECK_FALSE(std::filesystem::exists(here.store()));  // none of them began anything
  const Ended nothing = here.run({}, 2);
  CHECK_SAYS(nothing.err, "Commands:");
  for (const char* command :
       {"run", "plan", "board", "history", "show", "status", "query", "merge", "export", "cache"}) {
    CAPTURE(command);
    CHECK_SAYS(here.run({command, "--help"}).out, std::string("usage: conoscope ") + command);
  }
}
