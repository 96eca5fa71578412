// SPDX-License-Identifier: Apache-2.0
// verify: cells that are run again, and what is said of a store that does not hold what comes out.

#include "results/store/checksum.h"
#include "results/store/sqlite.h"
#include "tests/harness/app/moody_site.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;
namespace results = conoscope::results;

namespace {

/// Changes rows past the triggers, which are there again afterwards; with checksums that fit, so that
/// the file looks as if it had been written so.
void forge(const std::string& path, const std::string& sql, bool checksums = true) {
  auto store = results::Store::open(path, results::Mode::kReadWrite);
  auto& connection = store.connection();
  std::string drops, creates;
  {
    results::Statement rows(connection,
                            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' "
                            "AND name LIKE '%is_not_%'");
    while (rows.step()) {
      drops += "DROP TRIGGER " + rows.text(0) + ";";
      creates += rows.text(1) + ";";
    }
  }
  connection.execute(drops + (checksums ? "DELETE FROM attempt_checksum;" : "") + sql);
  results::add_missing_checksums(connection);
  connection.execute(creates);
}

constexpr const char* kBetter =
    "UPDATE score SET value = 0.125 WHERE metric = 'surf_mae';"
    "UPDATE current_score SET value = 0.125 WHERE metric = 'surf_mae'";

Json cells(const Ended& ended) { return Json::parse(ended.out)["cells"]; }
Json environments(const Ended& ended) { return Json::parse(ended.out)["environments"]; }

}  // namespace

TEST_CASE("verify: an honest store, of itself") {
  const MoodySite site("calm", "seeds = [0, 1, 2]\n");
  site.run();
  const std::string before = bytes_of(site.here.store());
  const Ended ended = site.verify(0);
  CHECK_SAYS(ended.err, "3 cells: 3 the same bit for bit");
  REQUIRE(cells(ended).size() == 3);
  for (const auto& row : cells(ended)) {
    CHECK(row["verdict"] == "same");
    CHECK_SAYS(row["subject"], "four x precomputed x moody #");
    CHECK(row["environment"].is_null());
  }
  CHECK(environments(ended).empty());
  CHECK(bytes_of(site.here.store()) == before);
  // For people nothing is there to be looked at.
  CHECK(site.here.run(site.here_found({"verify"})).out.empty());

  const Ended two = site.verify(0, {"--sample", "2", "--seed", "5"});
  CHECK_SAYS(two.err, "2 of 3 cells, drawn with --seed 5");
  CHECK(cells(two).size() == 2);
  CHECK(cells(site.verify(0, {"--sample", "2", "--seed", "5"})) == cells(two));
  CHECK(cells(site.verify(0, {"--sample", "2", "--per-row"})).size() == 2);
  CHECK_SAYS(site.here.run({"verify", "--per-row"}, 2).err, "--per-row goes with --sample N");
  CHECK_SAYS(site.verify(0, {"run", "-j", "2"}).err, "3 cells: 3 the same");
  CHECK_SAYS(site.here.run(site.here_found({"verify", site.here.store()})).err, "3 the same");
  CHECK_SAYS(site.here.run({"verify", "nosuch"}, 2).err, "no run \"nosuch\"");
  const std::string too_long(300, 'x');  // for a file's name
  CHECK_SAYS(site.here.run({"verify", too_long}, 2).err, "no run \"" + too_long);
  CHECK_SAYS(site.here.run({"verify", "--data", too_long}, 2).err,
             "--data " + too_long + ": File name too long");
  CHECK_SAYS(site.here.run({"verify", "-j", "0"}, 2).err, "--jobs");
}

TEST_CASE("verify: what is cached is not asked") {
  // The explainer draws lots and says that it does not; the cache knows what it once drew.
  const MoodySite site("coin");
  site.run();
  const Ended ended = site.verify(6);
  CHECK_SAYS(ended.err, "1 cell: 0 the same bit for bit, 1 differs");
  CHECK(environments(ended).empty());
  for (const auto& row : cells(ended)) {
    CHECK(row["verdict"] == "differs");
    CHECK(row["stored"] != row["again"]);
  }
}

TEST_CASE("verify: one score changed by hand") {
  const MoodySite site("calm", "seeds = [0, 1]\n");
  site.run();
  const std::string bytes = bytes_of(site.here.store());
  const std::string other = site.here.path("other.db"), into = site.here.path("into.db");
  const auto merge = [&](int code, const char* verify) {
    std::vector<std::string> words = {"merge", other, "--store", into};
    if (*verify != '\0') words.insert(words.end(), {"--verify", verify});
    return site.here.run(site.here_found(words), code);
  };
  const auto taken = [&] {
    return site.here.json({"query", "SELECT count(*) AS n FROM attempt", "--store", into})[0]["n"];
  };

  site.here.write("other.db", bytes);
  forge(other, kBetter, false);
  CHECK_SAYS(site.here.run(site.here_found({"verify", other}), 5).err, "damaged: attempt ");
  CHECK_SAYS(merge(5, "1").err, "damaged: attempt ");
  CHECK(taken() == 0);

  fs::remove(other);
  site.here.write("other.db", bytes);
  forge(other, kBetter);  // only running it again tells
  site.here.run({"export", "--store", other});
  const Ended found = site.here.run(site.here_found({"verify", other, "--format", "json"}), 6);
  REQUIRE(cells(found).size() == 2);
  for (const auto& row : cells(found)) {
    CHECK(row["verdict"] == "differs");
    CHECK(row["metric"] == "surf_mae");
    CHECK(row["stored"] == "0.125");
    CHECK(row["difference"].is_number());
    CHECK(row["environment"].is_null());
  }
  CHECK_SAYS(site.here.run(site.here_found({"verify", other}), 6).out, "surf_mae");
  CHECK_SAYS(merge(6, "1").err, "nothing was taken");
  CHECK(taken() == 0);

  fs::remove(other);
  site.here.write("other.db", bytes);
  CHECK_SAYS(merge(0, "1").err, "1 cell: 1 the same bit for bit");
  CHECK(taken() == 2);
  // What is known is not run again: cells that were taken before do not hide a new one.
  forge(other,
        "INSERT INTO attempt SELECT 'forged', cell, run, environment, status, stage, signal, "
        "exit_code, message, log_tail, started_at, seconds, peak_memory, binaries, number + 1 "
        "FROM attempt LIMIT 1; INSERT INTO score SELECT 'forged', 'surf_mae', 0.125, NULL, ''");
  CHECK_SAYS(merge(6, "1").err, "1 cell: 0 the same bit for bit, 1 differs");
  CHECK(taken() == 2);
  // Nor may it take away what others have brought.
  forge(
      other,
      "DELETE FROM score WHERE attempt = 'forged'; DELETE FROM current_score; DELETE FROM attempt "
      "WHERE id = 'forged'; INSERT INTO retraction SELECT id, 'not ours', "
      "'2026-01-01T00:00:00.000Z' FROM attempt");
  CHECK_SAYS(merge(6, "1").err, "retracts attempt ");
  CHECK(site.here.json(
            {"query", "SELECT count(*) AS n FROM retraction", "--store", into})[0]["n"] == 0);
  CHECK_SAYS(site.here.run({"merge", other, "--verify", "0"}, 2).err, "1 or more");
}

TEST_CASE("verify: merged is what counts afterwards, and nothing that rides along") {
  const MoodySite site("calm");
  site.run();
  const std::string other = site.here.path("other.db"), into = site.here.path("into.db");
  site.here.write("other.db", bytes_of(site.here.store()));
  const auto merge = [&](int code, std::vector<std::string> files) {
    files.insert(files.begin(), "merge");
    files.insert(files.end(), {"--verify", "1", "--store", into});
    return site.here.run(site.here_found(files), code);
  };
  const auto first = [&](const std::string& what) {
    return site.here.json(
        {"query", "SELECT " + what + " AS it FROM attempt", "--store", into})[0]["it"];
  };
  constexpr const char* kOlder =
      "INSERT INTO attempt SELECT 'forged', cell, run, environment, status, stage, signal, "
      "exit_code, message, log_tail, started_at, seconds, peak_memory, binaries, number - 1 "
      "FROM attempt; INSERT INTO score SELECT 'forged', metric, 0.125, NULL, '' FROM run_metric";
  SUBCASE("an older attempt behind one that is retracted here") {
    merge(0, {other});
    site.here.run({"retract", first("id"), "--reason", "wrong", "--store", into});
    forge(other, kOlder);
    CHECK_SAYS(merge(6, {other}).err, "1 cell: 0 the same bit for bit, 1 differs");
    CHECK(first("count(*)") == 1);
  }
  SUBCASE("an older attempt behind one that the next store retracts") {
    const std::string next = site.here.write("next.db", bytes_of(other));
    forge(other, kOlder);
    forge(next, "INSERT INTO retraction SELECT id, 'x', '2026-01-01T00:00:00.000Z' FROM attempt");
    CHECK_SAYS(merge(6, {other, next}).err, "1 cell: 0 the same bit for bit, 1 differs");
    CHECK(first("count(*)") == 0);
  }
  SUBCASE("a score more of an attempt that was taken before") {
    merge(0, {other});
    const std::string before = site.here.exported(into);
    forge(other,
          "INSERT INTO metric_key SELECT 'forged', grp, direction, low, high, unit, citation, "
          "question FROM metric_key LIMIT 1; "
          "INSERT INTO score SELECT id, 'forged', 0.125, NULL, '' FROM attempt");
    CHECK_SAYS(merge(5, {other}).err, "has another content than in");
    CHECK_SAYS(site.here.run({"merge", other, "--store", into}, 5).err, "has another content");
    CHECK(site.here.exported(into) == before);
  }
}

TEST_CASE("verify: what a store says of its cells follows from their keys, names and dates") {
  const MoodySite site("calm", "seeds = [0, 1]\ncontrols = [\"none\", \"random_importance\"]\n");
  std::ofstream(site.file, std::ios::app)
      << "[[explainer]]\nid = \"svd\"\nparams = { k = [1, 2] }\n";
  site.run();
  const std::string other = site.here.path("other.db");
  site.here.write("other.db", bytes_of(site.here.store()));
  const auto refused = [&](const std::string& sql, const std::string& why) {
    CAPTURE(sql);
    forge(other, sql);
    CHECK_SAYS(site.here.run(site.here_found({"verify", other}), 5).err, why);
    CHECK_SAYS(site.here.run({"merge", other, "--store", site.here.path("into.db")}, 5).err, why);
  };
  const std::string cell = "its key is not that of its components, seed and control";
  SUBCASE("controls") {
    refused(
        "UPDATE cell SET control = CASE control WHEN 'none' THEN 'random_importance' "
        "ELSE 'none' END",
        cell);
  }
  SUBCASE("seeds") { refused("UPDATE cell SET seed = 1 - seed", cell); }
  SUBCASE("explainers") {
    refused(
        "UPDATE cell SET explainer = (SELECT max(key) FROM component "
        "WHERE kind = 'explainer' AND key <> cell.explainer) WHERE explainer IS NOT NULL",
        cell);
  }
  SUBCASE("parameters") {
    refused("UPDATE component SET params = replace(params, 'k=1', 'k=2') WHERE plugin_id = 'svd'",
            "its key is not that of its plugin, version and parameters");
  }
  SUBCASE("content") {
    refused("UPDATE component SET content = 'x' WHERE kind = 'explainer'",
            "its content is not that of its data files");
  }
  SUBCASE("a name that no run has for it") {
    refused("UPDATE component SET name = 'mine' WHERE plugin_id = 'svd'", "no run calls it so");
  }
  SUBCASE("a cell less in a run") {
    refused("DELETE FROM run_cell WHERE cell = (SELECT max(cell) FROM run_cell)",
            "its key is not that of its name, cells and metrics");
  }
  SUBCASE("a metric less in a run") {
    refused("DELETE FROM run_metric WHERE metric = 'surf_emd'",
            "its key is not that of its name, cells and metrics");
  }
  SUBCASE("dates to come") {
    refused("UPDATE attempt SET started_at = '9999-12-31T00:00:00.000Z'", "is not of the past");
  }
  SUBCASE("no dates") {
    refused("UPDATE attempt SET started_at = 'zzzz-zz-zzTzz:zz:zz.zzzZ'", "is not of the past");
  }
  SUBCASE("numbers to come") {
    refused("UPDATE attempt SET number = 99999999999999", "is that of a time to come");
  }
}

TEST_CASE("verify: names, scores that were left out, and counts in another environment") {
  const MoodySite site;
  std::ofstream(site.file, std::ios::app)
      << "[[explainer]]\nid = \"svd\"\nparams = { k = [1, 2] }\n";
  site.here.write("run.toml", "metrics = [\"surf_mae\", \"surf_flops\"]\n" +
                                  bytes_of(site.file).substr(bytes_of(site.file).find('\n') + 1));
  site.run();
  const auto differences = [&](const std::string& sql) {
    forge(site.here.store(), sql);
    return cells(site.verify(6));
  };
  SUBCASE("names swapped, of the run too") {
    const Json rows = differences(
        "UPDATE component SET name = CASE name WHEN 'svd(k=1)' THEN 'svd(k=2)' ELSE 'svd(k=1)' END "
        "WHERE plugin_id = 'svd'; UPDATE run_component SET name = (SELECT name FROM component "
        "WHERE key = component)");
    REQUIRE(rows.size() == 3);
    CHECK(rows.dump().find("(name of the explainer)") != std::string::npos);
  }
  SUBCASE("a score deleted") {
    const Json rows = differences(
        "DELETE FROM score WHERE metric = 'surf_mae'; DELETE FROM current_score "
        "WHERE metric = 'surf_mae'");
    REQUIRE(rows.size() == 3);
    for (const auto& row : rows) {
      CHECK(row["metric"] == "surf_mae");
      CHECK(row["stored"] == "no score");
    }
  }
  SUBCASE("a board turned upside down") {
    const Json rows =
        differences("UPDATE metric_key SET direction = 'higher' WHERE metric = 'surf_mae'");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["stored"] == "better: higher");
    CHECK(rows[0]["again"] == "better: lower");
  }
  SUBCASE("a count, with an environment that would explain another digit") {
    const Json environment = site.here.query("SELECT text FROM environment")[0]["text"];
    std::string text = environment;
    text.replace(text.find("libc: "), 6, "libc: my ");
    const auto row = results::environment_row(text);
    const Json rows =
        differences("PRAGMA foreign_keys = OFF; UPDATE environment SET key = '" + row.key +
                    "', text = '" + row.text + "'; UPDATE attempt SET environment = '" + row.key +
                    "'; UPDATE score SET value = value + 9.5e-7; UPDATE current_score SET value = "
                    "value + 9.5e-7");
    for (const auto& found : rows) {
      CHECK(found["verdict"] == "differs");
      CHECK(found["metric"] == "surf_flops");
    }
  }
}

TEST_CASE("verify: plugins of another build") {
  const MoodySite site;
  site.run();
  const std::string moody = bytes_of(site.plugins() + "/moody.so");
  SUBCASE("other bytes, the same scores") {
    site.install(with_other_hash(moody));
    const Ended ended = site.verify(0);
    CHECK_SAYS(ended.err, "1 cell: 1 the same bit for bit");
    REQUIRE(environments(ended).size() == 1);
    CHECK(environments(ended)[0]["what"] == "plugin moody");
    CHECK_SAYS(environments(ended)[0]["stored"], "1.0.0 ");
    CHECK_SAYS(environments(ended)[0]["again"], "1.0.0 ");
    CHECK(environments(ended)[0]["stored"] != environments(ended)[0]["again"]);
    CHECK(cells(ended)[0]["environment"] == 1);
  }
  SUBCASE("other scores under the same version") {
    site.install(bytes_of(CONOSCOPE_TEST_OTHER_MOODY));
    const Ended ended = site.verify(6);
    CHECK(cells(ended)[0]["verdict"] == "differs");
    CHECK(cells(ended)[0]["environment"] == 1);
    CHECK(environments(ended)[0]["what"] == "plugin moody");
  }
  SUBCASE("another version") {
    site.install(with_version(moody, "1.0.1"));
    const Ended ended = site.verify(4);
    CHECK_SAYS(ended.err, "1 not run again");
    CHECK(cells(ended)[0]["verdict"] == "not run");
    CHECK(cells(ended)[0]["reason"] == "explainer moody: version 1.0.0 in the store, 1.0.1 here");
  }
  SUBCASE("none") {
    fs::remove(site.plugins() + "/moody.so");
    CHECK_SAYS(cells(site.verify(4))[0]["reason"],
               "explainer moody 1.0.0: there is no such plugin");
    const auto command = site.here_found(
        {"merge", site.here.store(), "--verify", "1", "--store", site.here.path("into.db")});
    CHECK_SAYS(site.here.run(command, 6).err, "nothing was taken");
  }
}

TEST_CASE("verify: data that are gone or changed, plugins that the store names") {
  const MoodySite site;
  site.run();
  SUBCASE("changed") {
    site.write_activations(4);
    CHECK(cells(site.verify(4))[0]["reason"] ==
          "dataset precomputed: its data files do not hold what they held");
  }
  SUBCASE("gone") {
    fs::remove(site.here.path("a.npy"));
    CHECK_SAYS(cells(site.verify(4))[0]["reason"], "a.npy: no such file");
  }
  SUBCASE("moved, with the folder that they lie in") {
    const auto text = bytes_of(site.file);
    for (const bool absolute : {true, false}) {
      auto moved = text;
      const std::string before = absolute ? site.here.path("there/a.npy") : "there/a.npy";
      moved.replace(moved.find("a.npy"), 5, before);
      fs::create_directories(site.here.path("there"));
      fs::copy_file(site.here.path("a.npy"), site.here.path("there/a.npy"));
      site.here.write("run.toml", moved);
      const std::string store = site.here.path(absolute ? "absolute.db" : "relative.db");
      site.here.run(
          {"run", site.file, "--no-board", "--plugin-path", site.plugins(), "--store", store});
      fs::remove_all(site.here.path("there"));
      CHECK_SAYS(site.here.run(site.here_found({"verify", store})).err, "1 the same bit for bit");
      fs::rename(site.here.path("a.npy"), site.here.path("b.npy.kept"));
      CHECK_SAYS(site.here.run(site.here_found({"verify", store}), 4).out, "no such file");
      fs::rename(site.here.path("b.npy.kept"), site.here.path("a.npy"));
    }
  }
  SUBCASE("no code is taken from where the store says") {
    auto text = bytes_of(site.file);
    text.replace(text.find("id = \"moody\""), 12, "file = \"plugins/moody.so\"");
    site.here.write("run.toml", "name = \"by_file\"\nplugin_path = [\"plugins\"]\n" + text);
    site.here.run({"run", site.file, "--no-board", "--store", site.here.path("by_file.db")});
    const std::vector<std::string> words = {"verify", site.here.path("by_file.db"), "--data",
                                            site.here.path("")};
    CHECK_SAYS(site.here.run(words, 4).out, "there is no such plugin here");
    CHECK_SAYS(site.here.run(site.here_found(words)).err, "1 the same bit for bit");
  }
}

TEST_CASE("verify: a profile, parts of scores, controls and what does not apply") {
  const Workspace here;
  auto text = digits_run(
      "name = \"sizes\"\nprofiles = [\"quick\", \"paper\"]\nseeds = { quick = [0], paper = [3, 4] "
      "}\ncontrols = [\"none\", \"random_importance\"]\nsample_scores = true\nmetrics = "
      "[\"surf_mae\", \"completeness\", \"intervention\"]",
      {"svd"});
  here.run_text(text + "params = { k = { quick = [1], paper = [1, 2] } }\n",
                {"--profile", "paper"});
  REQUIRE(here.count("attempt") == 8);
  REQUIRE(here.count("sample_score") > 0);
  CHECK_SAYS(here.run({"verify", "sizes-paper"}).err, "8 cells: 8 the same bit for bit");
  forge(here.store(), "UPDATE sample_score SET value = 0.5 WHERE metric = 'surf_mae' AND part = 2");
  const Ended ended = here.run({"verify", "--sample", "1", "--format", "json"}, 6);
  CHECK(cells(ended)[0]["metric"] == "surf_mae");
  CHECK(cells(ended)[0]["part"] == 2);
}

TEST_CASE("verify: data that ship, plugins' metrics, and what was measured without a run file") {
  const Workspace here;
  // Its data lie beside the run files that ship, which here are behind a link.
  here.run({"run", "parsimony", "--no-board", "--only", "explainer=svd(k=3)", "--only", "seed=1"});
  CHECK_SAYS(here.run({"verify"}).err, "1 cell: 1 the same bit for bit");

  fs::create_directories(here.path("plugins"));
  fs::copy_file(CONOSCOPE_TEST_BROKEN "/score_upside_down.so", here.path("plugins/metric.so"));
  const auto file =
      here.write("run.toml", digits_run("metrics = [\"score_upside_down\"]", {"svd"}) +
                                 "[[metric]]\nid = \"score_upside_down\"\n");
  const std::string store = here.path("metric.db");
  here.run({"run", file, "--no-board", "--plugin-path", here.path("plugins"), "--store", store});
  CHECK_SAYS(here.run({"verify", store, "--plugin-path", here.path("plugins")}).err,
             "1 cell: 1 the same bit for bit");
  CHECK_SAYS(here.run({"verify", store}, 4).out, "nothing here gives the score score_upside_down");

  const std::string measured = here.path("measured.db");
  here.run({"measure", "surf", CONOSCOPE_TEST_DIGITS, "--explain", "svd", "--name", "mine",
            "--store", measured});
  CHECK_SAYS(here.run({"verify", measured}, 4).out,
             "scored by `conoscope measure`, of arrays that the store does not hold");
}

TEST_CASE("verify: another processor's kernels") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("no libtorch");
  const auto file = here.write("run.toml",
                               "metrics = [\"surf_mae\"]\n[[dataset]]\nid = \"digits\"\n"
                               "[[model]]\nid = \"cnn\"\nparams = { epochs = 1 }\n"
                               "[[explainer]]\nid = \"svd\"\n");
  const auto with = [&](const char* kernels, const std::vector<std::string>& words) {
    return here.conoscope(words).set("OPENBLAS_CORETYPE", kernels).run();
  };
  REQUIRE(with("Nehalem", {"run", file, "--no-board"}).code == 0);
  const Ended same = with("Nehalem", {"verify"});
  CHECK(same.code == 0);
  CHECK_SAYS(same.err, "1 the same bit for bit");
  const Ended other = with("Prescott", {"verify", "--format", "json"});
  CAPTURE(other.out);
  CHECK((other.code == 0 || other.code == 6));
  REQUIRE(environments(other).size() == 1);
  CHECK(environments(other)[0]["what"] == "openblas");
  CHECK(environments(other)[0]["stored"] == "Nehalem");
  CHECK(environments(other)[0]["again"] == "Prescott");
  for (const auto& row : cells(other)) {
    CHECK(row["environment"] == 1);
    CHECK((row["verdict"] == "differs") == (other.code == 6));
  }
}
