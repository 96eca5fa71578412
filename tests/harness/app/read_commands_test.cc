// SPDX-License-Identifier: Apache-2.0
// Each command that reads answers in each format, and the same in all of them.

#include <set>
#include <sstream>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

/// Records of RFC 4180: line ends inside quotes do not count.
std::size_t csv_records(const std::string& text) {
  std::size_t records = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) ++records;
  }
  return records;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

struct Fixture {
  Fixture() {
    file = here.write("run.toml", digits_run("controls = [\"none\", \"random_importance\"]\n"
                                             "metrics = [\"surf\"]",
                                             {"perfect", "svd"}));
    here.run({"run", file, "--no-board"});
    // A failed cell beside the good ones, with a quote and a comma in its reason.
    here.write("a, \"b\".npy", "not an array");
    bad = here.write("bad.toml",
                     "[[dataset]]\nid = \"precomputed\"\nparams = { activations = 'a, \"b\".npy', "
                     "head_weight = 'a, \"b\".npy', head_bias = 'a, \"b\".npy' }\n"
                     "[[model]]\nid = \"precomputed\"\n[[explainer]]\nid = \"perfect\"\n");
    here.run({"run", bad, "--no-board"}, 4);
    cell = here.query("SELECT cell FROM attempt WHERE status = 'ok' ORDER BY cell")[0]["cell"];
  }

  /// Commands whose answer is one table.
  std::vector<std::vector<std::string>> tables() const {
    return {{"board", "run"},
            {"board", "--all", "-m", "surf_mae", "-m", "surf_emd"},
            {"history", "surf_mae", "--control", "all"},
            {"export"},
            {"query", "SELECT * FROM attempt"},
            {"query", "--list"},
            {"query", "--saved", "board", "--set", "metric=surf_mae"},
            {"plan", file, "--cells"},
            {"run", file}};
  }

  Workspace here;
  std::string file, bad, cell;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "six formats of one table") {
  for (auto words : tables()) {
    std::string name;
    for (const auto& word : words) name += word + " ";
    CAPTURE(name);
    words.push_back("--format");
    const auto text = [&](const std::string& format) {
      auto all = words;
      all.push_back(format);
      return here.run(all).out;
    };
    const Json json = Json::parse(text("json"));
    REQUIRE(json.is_array());
    REQUIRE(json.size() > 0);
    for (const auto& row : json) CHECK(row.size() == json[0].size());

    const auto ndjson = lines(text("ndjson"));
    REQUIRE(ndjson.size() == json.size());
    for (std::size_t i = 0; i < ndjson.size(); ++i) CHECK(Json::parse(ndjson[i]) == json[i]);

    CHECK(csv_records(text("csv")) == json.size() + 1);
    // A ranking has a line for the control, for people.
    const std::size_t controls = words[0] == "board" || words[0] == "run" ? 1 : 0;
    CHECK(has(text("table"), "-- random_importance --") == (controls == 1));
    CHECK(lines(text("md")).size() == json.size() + 2 + controls);
    CHECK(lines(text("table")).size() == json.size() + 2 + controls);
    const std::string latex = text("latex");
    CHECK_SAYS(latex, "\\begin{tabular}");
    CHECK_SAYS(latex, "\\end{tabular}");
  }
}

TEST_CASE_FIXTURE(Fixture, "several tables are one answer too") {
  const Json status = here.json({"status"});
  CHECK(status["runs"].size() == 2);
  CHECK(status.contains("messages"));
  REQUIRE(status["failures"].size() == 1);
  CHECK_SAYS(status["failures"][0]["message"].get<std::string>(), "a, \"b\".npy");
  const Json one = here.json({"status", "run"});
  CHECK(one["runs"].size() == 1);
  CHECK(one["runs"][0]["good"] == 4);
  CHECK(one["failures"].empty());

  const Json show = here.json({"show", cell.substr(0, 8)});
  CHECK(show["cell"][0]["cell"] == cell);
  CHECK(show["attempts"].size() == 1);
  CHECK(show["scores"].size() > 10);

  const std::vector<std::pair<std::vector<std::string>, Json>> answers = {{{"status"}, status},
                                                                          {{"show", cell}, show}};
  for (const auto& [words, json] : answers) {
    std::size_t rows = 0;
    for (const auto& [name, table] : json.items()) rows += table.size();
    const auto text = [&, command = words](const std::string& format) {
      auto all = command;
      all.insert(all.end(), {"--format", format});
      return here.run(all).out;
    };
    const auto ndjson = lines(text("ndjson"));
    REQUIRE(ndjson.size() == rows);
    for (const auto& line : ndjson) {
      const Json row = Json::parse(line);
      CHECK(json.contains(row["table"].get<std::string>()));
    }
    // A header for each table, and an empty line between two.
    CHECK(csv_records(text("csv")) == rows + json.size() + json.size() - 1);
    for (const char* format : {"table", "md", "latex"}) CHECK_FALSE(text(format).empty());
  }
}

TEST_CASE_FIXTURE(Fixture, "what is not there is said") {
  CHECK_SAYS(here.run({"show", "zzzz"}, 2).err, "no cell begins with \"zzzz\"");
  CHECK_SAYS(here.run({"board", "nonesuch"}, 2).err, "no run \"nonesuch\"; there are");
  CHECK_SAYS(here.run({"status", "nonesuch"}, 2).err, "no run \"nonesuch\"");
  CHECK_SAYS(here.run({"export", "nonesuch"}, 2).err, "no run \"nonesuch\"");
  CHECK_SAYS(here.run({"history", "surf_mea"}, 2).err,
             "has no score of the metric surf_mea (did you mean surf_mae?)");
  for (const char* kind : {"dataset", "model", "explainer"})
    CHECK_SAYS(here.run({"board", std::string("--") + kind, "nonesuch"}, 2).err,
               std::string("no ") + kind + " \"nonesuch\" in this run (known: ");
  CHECK_SAYS(here.run({"history", "surf_mae", "--component", "svdd"}, 2).err, "did you mean svd?");
  CHECK_SAYS(here.run({"board", "-m", "surf_mea"}, 2).err, "surf_mea");
  CHECK_SAYS(here.run({"board", "--all"}, 2).err, "--all needs at least one --metric");
  CHECK_SAYS(here.run({"query", "--saved", "board", "--set", "metric"}, 2).err, "NAME=VALUE");
  CHECK_SAYS(here.run({"query", "--saved", "history"}).err,
             "no rows; history takes --set metric=, component=, control=");
  CHECK_SAYS(here.run({"query", "--saved", "environments", "--set", "run=none"}, 2).err,
             "no run \"none\"; there are ");
  CHECK_SAYS(here.run({"query", "SELECT reeson FROM score"}, 2).err,
             "no such column: reeson; score has attempt, metric, value, reason, message");
  const std::string two = here.run({"query", "SELECT x FROM cell JOIN run_cell"}, 2).err;
  CHECK_SAYS(two,
             "; cell has key, dataset, model, explainer, seed, control; run_cell has run, cell");
  CHECK_SAYS(here.run({"query", "SELECT 1 FROM scores"}, 2).err,
             "no such table: scores; there are attempt, ");
  using Words = std::vector<std::string>;
  for (Words query : {Words{"query", "SELECT * FROM score"},
                      Words{"query", "--saved", "board", "--set", "metric=surf_mae"}}) {
    query.insert(query.end(), {"--rows", "1"});
    CHECK_SAYS(here.run(query, 2).err, "more than 1 row");
  }
  CHECK_SAYS(here.run({"plugin", "info", "precomputed"}, 2).err,
             "precomputed is the id of several kinds; say dataset:precomputed or "
             "explainer:precomputed or model:precomputed");
  for (const char* command : {"board", "status", "export", "plan"}) {
    CAPTURE(command);
    CHECK_SAYS(here.run({command, "--format", "nonsense"}, 2).err, "no such format");
  }
}

TEST_CASE_FIXTURE(Fixture, "artifact hands out what a cell was scored from") {
  const std::string explained = here.query(
      "SELECT cell.key FROM cell JOIN component AS e ON e.key = cell.explainer "
      "WHERE e.plugin_id = 'svd' AND control = 'none'")[0]["key"];
  const Json rows = here.json({"artifact", explained, "--cache", here.cache()});
  std::set<std::string> arrays;
  for (const auto& row : rows)
    arrays.insert(row["artifact"].get<std::string>() + "/" + row["array"].get<std::string>());
  CHECK(arrays.count("explanation/cavs") == 1);
  CHECK(arrays.count("dataset/activations") == 1);
  const Json shown = here.json({"show", explained, "--cache", here.cache()})["cell"][0];
  CHECK(rows.back()["folder"] == shown["explanation_folder"]);
  CHECK(std::filesystem::is_directory(shown["dataset_folder"].get<std::string>()));
  CHECK(here.json({"show", explained, "--cache", here.path("none")})["cell"][0]["model_folder"]
            .is_null());

  here.run({"artifact", explained, "--cache", here.cache(), "-o", here.path("cell")});
  CHECK(std::filesystem::is_regular_file(here.path("cell/dataset/activations.npy")));
  CHECK(std::filesystem::is_regular_file(here.path("cell/explanation/cavs.npy")));
  here.run({"artifact", "svd", "--cache", here.cache(), "-o", here.path("svd")});
  CHECK(std::filesystem::is_regular_file(here.path("svd/cavs.npy")));
  CHECK_FALSE(std::filesystem::exists(here.path("svd/manifest.tsv")));

  CHECK_SAYS(here.run({"artifact", "svd", "--cache", here.path("none")}, 2).err,
             "has nothing of svd");
  CHECK_SAYS(here.run({"artifact", "svdd"}, 2).err, "did you mean svd?");
  CHECK_SAYS(here.run({"artifact"}, 2).err, "of which cell");
}

TEST_CASE_FIXTURE(Fixture, "debug does one cell again, beside the store") {
  const std::string before = here.exported();
  const auto debug = [&](std::vector<std::string> words, int code = 0) {
    words.insert(words.begin(), "debug");
    words.insert(words.end(), {"--cache", here.cache()});
    return here.run(words, code);
  };
  const std::string explained = here.query(
      "SELECT cell.key FROM cell JOIN component AS e ON e.key = cell.explainer "
      "WHERE e.plugin_id = 'svd' AND control = 'none'")[0]["key"];
  const Ended ended = debug({explained, file, "--format", "json"});
  CHECK_SAYS(ended.err, ": ok");
  const Json again = Json::parse(ended.out);
  const Json scores = here.json({"show", explained})["scores"];
  REQUIRE(again.size() == scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) CHECK(again[i]["value"] == scores[i]["value"]);
  CHECK(here.exported() == before);

  // A debugger gets the worker's command, and whatever the plugin writes is seen.
  std::filesystem::create_directories(here.path("bin"));
  const std::string gdb =
      here.write("bin/gdb",
                 "#!/bin/sh\necho \"gdb $1 $2 $3\" >&2\n"
                 "while [ \"$1\" != --args ]; do shift; done\nshift\nexec \"$@\"\n");
  std::filesystem::permissions(gdb, std::filesystem::perms::owner_all);
  const Ended watched = here.conoscope({"debug", explained, file, "--gdb", "--from", "score",
                                        "--cache", here.cache()})
                            .set("PATH", here.path("bin") + ":/usr/bin:/bin")
                            .run(60);
  CHECK(watched.code == 0);
  CHECK_SAYS(watched.err, "gdb -q -ex set follow-fork-mode child");

  const std::string failing =
      here.query("SELECT cell FROM attempt WHERE status <> 'ok'")[0]["cell"];
  CHECK_SAYS(debug({failing, bad}, 4).err, "there is no row of numbers");
  CHECK_SAYS(debug({"zzzz", file}, 2).err, "no cell of");
  CHECK_SAYS(debug({explained, file, "--from", "fit"}, 2).err, "no such stage");
}

TEST_CASE_FIXTURE(Fixture, "an answer that cannot be written is no success") {
  const auto to_full_disk = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/full",
                                      built_conoscope().string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return Command(words)
        .set("HOME", here.path("home"))
        .set("CONOSCOPE_CACHE", here.cache())
        .set("CONOSCOPE_STORE", here.store())
        .run();
  };
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--version"},
                                             {"--help"},
                                             {"metric"},  // more than one buffer
                                             {"export"},
                                             {"query", "SELECT char(13)", "--format", "csv"}}) {
    CAPTURE(arguments[0]);
    const Ended ended = to_full_disk(arguments);
    CHECK(ended.code == 5);
    CHECK(ended.err == "conoscope: standard output cannot be written: No space left on device\n");
  }
  CHECK(to_full_disk({"show", cell, "--format", "xml"}).code == 2);  // nothing to write
}

TEST_CASE("a name belongs to the run") {
  const Workspace here;
  const auto run = [&](const std::string& name, const std::string& entry) {
    here.run({"run",
              here.write(name + ".toml", digits_run("metrics = [\"surf_mae\"]", {"perfect"}) +
                                             "[[explainer]]\nid = \"svd\"\n" + entry),
              "--no-board"});
  };
  const auto explainers = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "board");
    std::set<std::string> names;
    for (const auto& row : here.json(words)) names.insert(row["explainer"]);
    return names;
  };
  run("first", "");
  run("second", "name = \"mine\"\n");
  CHECK(here.count("attempt") == 2);
  CHECK(explainers({"first"}) == std::set<std::string>{"perfect", "svd"});
  CHECK(explainers({"second"}) == std::set<std::string>{"perfect", "mine"});
  CHECK(explainers({"second", "--explainer", "mine"}) == std::set<std::string>{"mine"});
  CHECK(explainers({"second", "--explainer", "mine", "--explainer", "perfect"}).size() == 2);
  CHECK_SAYS(here.run({"board", "first", "--explainer", "mine"}, 2).err,
             "no explainer \"mine\" in this run");
  CHECK(here.json({"export", "second"})[0].contains("explainer_name"));
  // Nothing is compared with itself by another name, and scores pair whatever a run calls them.
  CHECK_SAYS(here.run({"compare", "mine", "svd"}).out, "one pair: no test");
  CHECK_SAYS(here.run({"compare", "run:first", "run:second"}).out, "svd");
  // A new name in the same run file, while the old one is still known.
  run("second", "name = \"again\"\n");
  CHECK(explainers({"second"}) == std::set<std::string>{"perfect", "again"});
  run("third", "name = \"other\"\n");
  CHECK(explainers({"--all", "-m", "surf_mae"}) == std::set<std::string>{"perfect", "other"});
  CHECK(explainers({"--all", "-m", "surf_mae", "--explainer", "again"}).size() == 1);
  CHECK(here.count("attempt") == 2);
}

TEST_CASE("reading makes no store") {
  const Workspace here;
  for (const char* command : {"board", "status", "export"})
    CHECK_SAYS(here.run({command}, 5).err, "results.db: no such file");
  CHECK_FALSE(std::filesystem::exists(here.store()));
}

TEST_CASE("show: the parts of a score, by concept and pair") {
  const Workspace here;
  here.run_text(R"(metrics = ["ois", "icl_ij"]
[[dataset]]
id = "soft_concepts"
params = { samples = 300, concepts = 3, test_share = 0.5 }
[[model]]
id = "precomputed_concepts"
)");
  const std::string cell = here.query("SELECT key FROM cell")[0]["key"];
  const Json parts = here.json({"show", cell})["parts"];
  std::map<std::string, int> count;
  for (const auto& row : parts) ++count[row["metric"]];
  CHECK(count == std::map<std::string, int>{{"icl_ij", 3}, {"ois", 9}});
  CHECK(parts[0]["part"] == 0);
  CHECK(parts[0]["value"].is_number());
  const std::string text = here.run({"show", cell}).out;
  CHECK_SAYS(text, "metric  parts  values");
  CHECK_SAYS(text, "icl_ij      3  ");
}
