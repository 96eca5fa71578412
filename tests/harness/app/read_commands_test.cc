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
    CHECK(lines(text("md")).size() == json.size() + 2);
    CHECK(lines(text("table")).size() == json.size() + 2);
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
  CHECK_SAYS(here.run({"history", "surf_mea"}, 2).err, "surf_mea");
  for (const char* kind : {"dataset", "model", "explainer"})
    CHECK_SAYS(here.run({"board", std::string("--") + kind, "nonesuch"}, 2).err,
               std::string("no ") + kind + " \"nonesuch\" in this run (known: ");
  CHECK_SAYS(here.run({"history", "surf_mae", "--component", "svdd"}, 2).err, "did you mean svd?");
  CHECK_SAYS(here.run({"board", "-m", "surf_mea"}, 2).err, "surf_mea");
  CHECK_SAYS(here.run({"board", "--all"}, 2).err, "--all needs at least one --metric");
  CHECK_SAYS(here.run({"query", "--saved", "board", "--set", "metric"}, 2).err, "NAME=VALUE");
  CHECK_SAYS(here.run({"plugin", "info", "precomputed"}, 2).err,
             "precomputed is the id of several kinds; say dataset:precomputed or "
             "explainer:precomputed or model:precomputed");
  for (const char* command : {"board", "status", "export", "plan"}) {
    CAPTURE(command);
    CHECK_SAYS(here.run({command, "--format", "nonsense"}, 2).err, "no such format");
  }
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
  const auto file = here.write("run.toml", R"(metrics = ["ois", "icl_ij"]
[[dataset]]
id = "soft_concepts"
params = { samples = 300, concepts = 3, test_share = 0.5 }
[[model]]
id = "precomputed_concepts"
)");
  here.run({"run", file, "--no-board"});
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
