// SPDX-License-Identifier: Apache-2.0
// `conoscope report` from runs of every kind. What stands on the page is looked at in a browser, see
// tests/report.

#include <sys/stat.h>
#include <unistd.h>

#include "results/store/store.h"
#include "tests/harness/app/workspace.h"
#include "tests/results/sample.h"
#include "tests/support/bytes_of.h"

using namespace conoscope::testing;
namespace results = conoscope::results;

namespace {

std::string report(const Workspace& here, std::vector<std::string> words) {
  words.insert(words.begin(), "report");
  words.insert(words.end(), {"-o", here.path("report.html")});
  CHECK_SAYS(here.run(words).err, "report.html: ");
  return bytes_of(here.path("report.html"));
}

bool has_section(const std::string& page, const std::string& id) {
  return has(page, "<section id=" + id + " ");
}

}  // namespace

TEST_CASE("a report of one seed has no intervals and no tests") {
  const Workspace here;
  const auto file =
      here.write("one.toml", digits_run("name = \"one\"\nseeds = [0]\nmetrics = [\"surf_mae\"]",
                                        {"perfect", "random_importance", "random_concepts"}));
  here.run({"run", file, "--no-board"});
  const std::string page = report(here, {});
  CHECK_SAYS(page, "<title>one - conoscope report</title>");
  for (const char* section : {"overview", "board", "difference", "ladder", "definitions"})
    CHECK_MESSAGE(has_section(page, section), section);
  for (const char* section : {"counts", "changes", "failures"})
    CHECK_FALSE_MESSAGE(has_section(page, section), section);
  CHECK_SAYS(page, " ± -");
  CHECK_SAYS(page, "one pair: no test");
  CHECK(page == report(here, {"one"}));  // equal bytes
}

TEST_CASE("a run without a good cell is all failures and reasons") {
  const Workspace here;
  const auto file =
      here.write("bad.toml", digits_run("name = \"bad\"\nmetrics = [\"surf_mae\"]", {}) +
                                 "[[explainer]]\nid = \"pca\"\nparams = { k = 5000 }\n");
  here.run({"run", file, "--no-board"}, 4);
  const std::string page = report(here, {});
  CHECK(has_section(page, "failures"));
  CHECK(has_section(page, "board"));  // its row says why there is no number
  CHECK_SAYS(page, "no number: failed: pca: ");
  for (const char* section : {"difference", "ladder", "counts", "changes"})
    CHECK_FALSE_MESSAGE(has_section(page, section), section);
}

TEST_CASE("several runs, and what changed between them") {
  const Workspace here;
  const auto run = [&here](const std::string& name, const std::string& seeds) {
    const auto file = here.write(
        name + ".toml",
        digits_run("name = \"" + name + "\"\nseeds = " + seeds + "\nmetrics = [\"surf_mae\"]",
                   {"svd", "kmeans"}));
    here.run({"run", file, "--no-board"});
  };
  run("first", "[0]");
  run("second", "[0, 1]");
  const std::string page = report(here, {"first", "second"});
  CHECK_SAYS(page, "<title>first, second - conoscope report</title>");
  CHECK_SAYS(page, "<select data-key=run>");
  CHECK_SAYS(page,
             "<tbody data-run=\"second\" data-dataset=\"digits\" data-model=\"precomputed\" "
             "data-metric=\"surf_mae\">");
  CHECK(has_section(page, "changes"));
  CHECK_FALSE(has(report(here, {"second"}), "<select data-key=run>"));
}

TEST_CASE("what changed is found where models compete across datasets") {
  const Workspace here;
  {
    auto store = results::Store::open(here.store(), results::Mode::kReadWrite);
    store.add_environment(sample::kHere);
    const std::vector<results::ComponentRow> components = {sample::component("dataset", "d"),
                                                           sample::component("dataset", "e"),
                                                           sample::component("model", "encoder")};
    const std::vector<results::CellRow> cells = {sample::cell("d", "encoder", "", 1),
                                                 sample::cell("e", "encoder", "", 1)};
    for (const char* run : {"first", "second"}) {
      store.register_run({run, run, "[run]", sample::at(0)}, components, cells,
                         std::vector{sample::metric("mig")});
      for (const results::CellRow& cell : cells)
        store.record(sample::attempt(std::string(run) + cell.key, cell.key,
                                     run == std::string("first") ? 0 : 9, results::Status::ok, run),
                     std::vector{results::score_row("mig", 0.5)});
    }
  }
  const std::string page = report(here, {"second"});
  REQUIRE(has_section(page, "changes"));
  const std::string table = page.substr(page.find("id=\"change-table\""));
  CHECK_SAYS(table, "data-dataset=\"every dataset\" data-model=\"the models themselves\"");
  CHECK_FALSE(has(table.substr(0, table.find("</table>")), "data-dataset=\"d\""));
}

TEST_CASE("a run is reported that shares its cells with one that asked for summaries") {
  const Workspace here;
  const auto run = [&here](const std::string& name, const std::string& settings) {
    const auto file = here.write(name + ".toml", R"(name = ")" + name + R"("
seeds = [0]
metrics = ["concept_accuracy"]
)" + settings + R"([[dataset]]
id = "tabular_toy"
params = { samples = 400 }
[[model]]
id = "ladder_concepts"
)");
    here.run({"run", file, "--no-board"});
  };
  run("drawn", "summaries = true\n");
  run("plain", "");
  CHECK(has_section(report(here, {"drawn"}), "encodings"));
  CHECK_FALSE(has_section(report(here, {"plain"}), "encodings"));
}

TEST_CASE("what cannot be reported, and where nothing can be written, is said") {
  const Workspace here;
  CHECK_SAYS(here.run({"report"}, 5).err, "results.db");  // no store
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"perfect"}));
  here.run({"run", file, "--no-board"});
  CHECK_SAYS(here.run({"report", "nonesuch"}, 2).err, "no run \"nonesuch\"; there are");

  const auto unwritable = [&here](const std::string& path) {
    const std::string said = here.run({"report", "-o", path}, 5).err;
    CHECK_SAYS(said, "cannot write " + path);
    return said;
  };
  CHECK_SAYS(unwritable(here.path("no/such/folder/report.html")), "No such file or directory");
  mkdir(here.path("folder").c_str(), 0700);
  CHECK_SAYS(unwritable(here.path("folder")), "Is a directory");
  CHECK_SAYS(unwritable("/dev/full"), "No space left on device");
  CHECK(here.run({"report", "-o", "/dev/stdout"}).out.starts_with("<!DOCTYPE html>"));
  // Through a link to where it leads, and nothing lies beside.
  const std::string page = here.write("page.html", "old");
  REQUIRE(symlink("page.html", here.path("link.html").c_str()) == 0);
  here.run({"report", "-o", here.path("link.html")});
  CHECK_SAYS(bytes_of(page), "<!DOCTYPE html>");
  // Nor is anything followed that others have put where it could be guessed.
  const std::string victim = here.write("victim", "old");
  REQUIRE(symlink("victim", here.path("page.html.part").c_str()) == 0);
  here.run({"report", "-o", page});
  CHECK(bytes_of(victim) == "old");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(here.path("")))
    files += entry.path().filename().string().starts_with("page.html");
  CHECK(files == 2);
}

TEST_CASE("an empty store has nothing to report") {
  const Workspace here;
  conoscope::results::Store::open(here.store(), conoscope::results::Mode::kReadWrite);
  CHECK_SAYS(here.run({"report"}, 2).err, "holds no run yet");
}
