// SPDX-License-Identifier: Apache-2.0
// --from: what another store has of a run is taken, what it lacks is computed, and where each cell
// comes from stays known.

#include <filesystem>
#include <set>

#include "tests/harness/app/moody_site.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

std::string moody() { return bytes_of(fs::path(CONOSCOPE_TEST_PLUGINS) / "moody.so"); }

std::string kmeans_run(const std::string& name, const std::string& seeds,
                       const std::string& metrics) {
  return digits_run("name = \"" + name + "\"\nseeds = " + seeds + "\nmetrics = [" + metrics + "]\n",
                    {"kmeans"});
}

/// The attempts of a store, each with its environment and date.
Json attempts(const Workspace& at) {
  return at.query("SELECT id, cell, environment, started_at FROM attempt ORDER BY id");
}

}  // namespace

TEST_CASE("from: what another store has is not computed, and keeps its date and environment") {
  const MoodySite there, here;
  there.run();
  const Ended run = here.run({"--from", there.here.store()});
  CHECK_SAYS(run.err, "run: 1 cell taken from " + there.here.store() + "\n");
  CHECK_SAYS(run.err, "run: 1 cells, 1 done, 0 to do now");
  CHECK(attempts(here.here) == attempts(there.here));
  CHECK(here.here.exported() == there.here.exported());
  CHECK_SAYS(here.here.run({"status", "--verify"}).out, "run");
  CHECK_SAYS(here.run({"--from", there.here.store()}).err, "0 cells taken");
}

TEST_CASE("from: the text form of a store, and a folder of them") {
  const MoodySite there;
  there.run();
  fs::create_directories(there.here.path("shipped"));
  const std::string file = there.here.path("shipped/run.gz");
  there.here.run({"export", "run", "--format", "store", "--without-parts", "-o", file});
  for (const std::string& from : {file, there.here.path("shipped")}) {
    const MoodySite here;
    CHECK_SAYS(here.run({"--from", from}).err, "1 cell taken");
    CHECK(here.here.exported() == there.here.exported());
    // It is only read, and what to do is said.
    const Ended refused =
        here.here.run({"run", here.file, "--plugin-path", here.plugins(), "--store", from}, 5);
    CHECK_SAYS(refused.err, "is only read; to go on with it, `conoscope merge " + from);
    CHECK_SAYS(refused.err, "with --from");
    CHECK_SAYS(here.here.run({"merge", from, "--store", here.here.path("new.db")}).err,
               "1 new attempts");
  }
}

TEST_CASE("from: what other plugin files made is not taken, and is said") {
  const MoodySite there, here;
  there.install(with_other_hash(moody()));
  there.run();
  const Ended run = here.run({"--from", there.here.store()});
  CHECK_SAYS(run.err, "run: 0 cells taken");
  CHECK_SAYS(run.err,
             "1 cell there was made by other plugin files, and is not taken\n  plugin moody: ");
  CHECK_SAYS(run.err, "1 to do now");
  CHECK(here.here.count("attempt") == 1);
  CHECK(attempts(here.here) != attempts(there.here));
}

TEST_CASE("from: what is lacking is computed, seed by seed and metric by metric") {
  const Workspace there, here;
  there.run_text(kmeans_run("run", "[0, 1]", "\"surf_mae\""));
  const Ended run = here.run_text(kmeans_run("run", "[0, 1, 2]", "\"surf_mae\", \"surf_emd\""),
                                  {"--from", there.store()});
  // The cells are those of another run, and lack a metric.
  CHECK_SAYS(run.err, "run: 0 cells taken");
  CHECK_SAYS(run.err, "3 cells, 0 done, 3 to do now");
  const Json made = here.query(
      "SELECT metric, count(*) AS n, count(*) FILTER (WHERE attempt IN (SELECT id FROM attempt "
      "WHERE run <> (SELECT key FROM run ORDER BY created_at DESC LIMIT 1))) AS taken "
      "FROM current_score GROUP BY metric ORDER BY metric");
  CHECK(made == Json::parse(R"([{"metric": "surf_emd", "n": 3, "taken": 0},
                                {"metric": "surf_mae", "n": 3, "taken": 2}])"));
}

TEST_CASE("from: another run's attempts come without what that run asks for") {
  const Workspace there, here;
  there.run_text(kmeans_run("theirs", "[0, 1]", "\"surf_mae\""));
  here.run_text(kmeans_run("mine", "[0]", "\"surf_mae\""), {"--from", there.store()});
  CHECK(here.count("attempt") == 1);
  CHECK(here.count("run") == 2);  // an attempt says whose it is
  const Json status = here.json({"status"});
  REQUIRE(status["runs"].size() == 1);
  CHECK(status["runs"][0]["run"] == "mine");
  CHECK_SAYS(here.run({"board", "theirs"}, 2).err, "no run \"theirs\"; there are mine");
  const std::string cell = here.query("SELECT key FROM cell")[0]["key"];
  CHECK(here.json({"show", cell})["attempts"][0]["run"] == "theirs");
  // The store is whole: it can be verified, merged and written as text.
  CHECK_SAYS(here.run({"verify", here.store()}).err, "1 cell: 1 the same bit for bit");
  CHECK_SAYS(there.run({"merge", here.store()}).err, "0 new attempts");
  here.run({"export", "mine", "--format", "store", "-o", here.path("mine.gz")});
  const std::string third = here.path("third.db");
  CHECK_SAYS(here.run({"merge", here.path("mine.gz"), "--store", third}).err, "1 new attempts");
  CHECK(here.exported(third) == here.exported());
  // Once asked for, it is a run like others.
  here.run_text(kmeans_run("theirs", "[0, 1]", "\"surf_mae\""));
  CHECK(here.json({"status"})["runs"].size() == 2);
}

TEST_CASE("from: scores over seeds are taken with their cells") {
  const Workspace there, here;
  const std::string run = kmeans_run("run", "[0, 1]", "\"surf_mae\", \"stability\"");
  there.run_text(run);
  const Ended ended = here.run_text(run, {"--from", there.store()});
  CHECK_SAYS(ended.err, "2 cells taken");
  CHECK_FALSE(has(ended.err, "to compare with other seeds"));
  CHECK(attempts(here) == attempts(there));
  CHECK(here.exported() == there.exported());
}

TEST_CASE("from: mistakes are said before there is a store") {
  const Workspace here;
  const auto file = here.write("run.toml", kmeans_run("run", "[0]", "\"surf_mae\""));
  CHECK_SAYS(here.run({"run", file, "--from", here.path("none.db")}, 5).err,
             "none.db: no such file");
  CHECK_FALSE(fs::exists(here.store()));
  CHECK_SAYS(here.run({"run", file, "--prepare", "--from", here.path("none.db")}, 2).err,
             "--from cannot be combined with --prepare");
  here.run({"run", file, "--no-board"});
  CHECK_SAYS(here.run({"run", file, "--from", here.store()}, 2).err, "that is the store itself");
}

TEST_CASE("from: the results that ship are read as a store") {
  const Workspace here;
  const Json shipped = here.json({"status", "--store", "published"});
  REQUIRE(!shipped["runs"].empty());
  // Whole, but for what a method cannot do: a drawn head may give an output too few rows.
  for (const auto& run : shipped["runs"])
    CHECK(run["asked"].get<int>() == run["good"].get<int>() + run["failed"].get<int>());
  const std::string name = shipped["runs"][0]["run"];
  // By its name, as other commands take it.
  CHECK(!here.json({"query", "--saved", "environments", "--set", "run=" + name, "--store",
                    "published"})
             .empty());
  // A screen of messages for people, all of them for programs.
  REQUIRE(shipped["messages"].size() > 25);
  CHECK_SAYS(here.run({"status", "--store", "published"}).err,
             std::to_string(shipped["messages"].size() - 25) + " more messages; ");
  const auto file = here.write("run.toml", kmeans_run("run", "[999]", "\"surf_mae\""));
  CHECK_SAYS(here.run({"run", file, "--no-board", "--from", "published"}).err,
             "0 cells taken from published, which has none");
  CHECK_SAYS(here.run({"run", file, "--store", "published"}, 5).err,
             "a folder of stores in text form is only read");
}

TEST_CASE("layers: what two builds of a plugin made is kept apart, as text too") {
  const MoodySite site;
  site.run();
  const Json first = site.here.json({"board", "--metric", "surf_mae"});
  site.install(bytes_of(CONOSCOPE_TEST_OTHER_MOODY));  // the same version, other scores
  CHECK_SAYS(site.run().err, "1 finished cell is run again: what made it has changed");
  const Json second = site.here.json({"board", "--metric", "surf_mae"});
  REQUIRE(first[0]["surf_mae"] != second[0]["surf_mae"]);

  const std::string text = site.here.path("layers.gz");
  site.here.run({"export", "run", "--format", "store", "--without-parts", "-o", text});
  for (const std::string& store : {site.here.store(), text}) {
    CAPTURE(store);
    // The newest counts, and the history has both, with the files that made them.
    CHECK(site.here.json({"board", "--metric", "surf_mae", "--store", store}) == second);
    const Json history = site.here.json({"history", "surf_mae", "--store", store});
    REQUIRE(history.size() == 2);
    CHECK(history[0]["value"] == first[0]["surf_mae"]);
    CHECK(history[1]["value"] == second[0]["surf_mae"]);
    CHECK(history[0]["counts"] == 0);
    CHECK(history[1]["counts"] == 1);
    CHECK(history[0]["file"].get<std::string>().size() == 16);
    CHECK(history[1]["file"].get<std::string>().size() == 16);
    CHECK(history[0]["file"] != history[1]["file"]);
    CHECK(history[0]["conoscope"] == history[1]["conoscope"]);
  }
  // Written once more, it is the same text.
  const std::string again = site.here.path("again.gz");
  site.here.run(
      {"export", "run", "--format", "store", "--without-parts", "--store", text, "-o", again});
  CHECK(bytes_of(again) == bytes_of(text));
}

TEST_CASE("layers: two versions of a plugin are compared in the text form of both runs") {
  const MoodySite site;
  site.run();
  site.install(with_version(bytes_of(CONOSCOPE_TEST_OTHER_MOODY), "1.0.1"));
  site.run();
  fs::create_directories(site.here.path("layers"));
  for (const auto& run : site.here.query("SELECT key FROM run"))
    site.here.run({"export", run["key"], "--format", "store", "-o",
                   site.here.path("layers/" + run["key"].get<std::string>() + ".gz")});
  const std::string layers = site.here.path("layers");
  const Json compared = site.here.json(
      {"compare", "moody@1.0.0", "moody@1.0.1", "--metric", "surf_mae", "--store", layers});
  REQUIRE(compared.size() == 1);
  CHECK(compared[0]["a"] != compared[0]["b"]);
  const Json history = site.here.json({"history", "surf_mae", "--store", layers});
  REQUIRE(history.size() == 2);
  CHECK(history[0]["version"] == "1.0.0");
  CHECK(history[1]["version"] == "1.0.1");
  // Each is the score of a cell of its own; the board of the run's name is that of the newest.
  CHECK(history[0]["counts"] == 1);
  const Json board = site.here.json({"board", "run", "--metric", "surf_mae", "--store", layers});
  REQUIRE(board.size() == 1);
  CHECK(board[0]["surf_mae"] == history[1]["value"]);
}
