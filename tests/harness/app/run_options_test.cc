// SPDX-License-Identifier: Apache-2.0
// --retry, --repeat, --only, sweeps, metrics alone, artifacts shared between run files, and plugin
// files that change under the same version.

#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "harness/core/artifacts/cache.h"
#include "harness/core/artifacts/hashed_text.h"
#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

std::string moody(const std::string& params) {
  return digits_run("metrics = [\"surf_mae\"]\nplugin_path = [\"" CONOSCOPE_TEST_PLUGINS "\"]",
                    {}) +
         "[[explainer]]\nid = \"moody\"\nparams = { " + params + " }\n";
}

}  // namespace

TEST_CASE("--retry tries a failed job again, and counts one attempt") {
  const Workspace here;
  const auto flaky = [&](const std::string& marker) {
    return here.write("flaky.toml",
                      moody("mood = \"flaky\", marker = \"" + here.path(marker) + "\""));
  };
  // It remembers its first try in a file outside its own folders.
  const Ended without = here.run({"run", flaky("a"), "--no-board", "--confine", "off"}, 4);
  CHECK_SAYS(without.err, "[explain: fit] moody: not today");
  CHECK_FALSE(has(without.err, "trying again"));
  const Ended with =
      here.run({"run", flaky("b"), "--no-board", "--confine", "off", "--retry", "1"});
  CHECK_SAYS(with.err, "moody: not today; trying again");
  CHECK_SAYS(with.err, "1 ok");
  CHECK(here.query("SELECT status FROM attempt ORDER BY status") ==
        Json::parse(R"([{"status": "failed"}, {"status": "ok"}])"));

  // What fails every time is tried so often and no more.
  here.write("x.npy", "no array");
  const auto hopeless =
      here.write("hopeless.toml",
                 "[[dataset]]\nid = \"precomputed\"\nparams = { activations = \"x.npy\", "
                 "head_weight = \"x.npy\", head_bias = \"x.npy\" }\n[[model]]\nid = "
                 "\"precomputed\"\n[[explainer]]\nid = \"perfect\"\n");
  const Ended ended = here.run({"run", hopeless, "--no-board", "--retry", "3"}, 4);
  std::size_t again = 0;
  for (std::size_t at = 0; (at = ended.err.find("trying again", at)) != std::string::npos; ++at)
    ++again;
  CHECK(again == 3);
  CHECK(here.count("attempt") == 3);
}

TEST_CASE("--repeat finds a method that does not repeat itself") {
  const Workspace here;
  const auto coin = here.write("coin.toml", moody("mood = \"coin\""));
  const Ended caught = here.run({"run", coin, "--no-board", "--repeat"}, 4);
  CHECK_SAYS(caught.err, "not deterministic: two fits with the same seed differ in importance");
  CHECK(here.json({"status"})["failures"][0]["status"] == "invalid_output");
  here.run({"run", coin, "--no-board"});  // nobody looks

  const auto calm = here.write("calm.toml", moody("mood = \"calm\""));
  here.run({"run", calm, "--no-board", "--repeat"});
  const auto whole = here.write("whole.toml", whole_run());
  here.run({"run", whole, "--no-board", "--repeat", "-j", "2"});  // nor do the built-in ones
}

TEST_CASE("--only takes the intersection of different keys and the union of equal ones") {
  const Workspace here;
  const auto file =
      here.write("run.toml", digits_run("seeds = [0, 1, 2]\ncontrols = [\"none\", "
                                        "\"random_importance\"]\nmetrics = [\"surf_mae\"]",
                                        {"perfect", "svd"}));
  CHECK_SAYS(here.run({"run", file, "--no-board", "--only", "explainer=svd", "--only", "seed=0",
                       "--only", "seed=2", "--only", "control=none"})
                 .err,
             "12 cells, 0 done, 2 to do now");
  CHECK(here.query("SELECT seed, control FROM attempt JOIN cell ON cell.key = attempt.cell "
                   "ORDER BY seed") ==
        Json::parse(R"([{"seed": 0, "control": "none"}, {"seed": 2, "control": "none"}])"));
  const std::string key = here.query("SELECT key FROM cell WHERE seed = 1 LIMIT 1")[0]["key"];
  CHECK_SAYS(here.run({"run", file, "--no-board", "--only", "cell=" + key.substr(0, 10)}).err,
             "2 done, 1 to do now");
  CHECK_SAYS(here.run({"run", file, "--no-board"}).err, "3 done, 9 to do now");
}

TEST_CASE("a list of values is a sweep") {
  const Workspace here;
  const auto file =
      here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"svd"}) +
                                 "params = { k = [2, 5], rows = [\"pooled\", \"positions\"] }\n");
  const Json board = here.json({"run", file});
  CHECK(board.size() == 4);
  CHECK(board[0].contains("surf_mae"));
  CHECK_FALSE(board[0].contains("surf_emd"));  // one metric was asked for
  const Json names = here.query(
      "SELECT name, params FROM component WHERE kind = 'explainer' ORDER BY name, params");
  REQUIRE(names.size() == 4);
  // A default is not part of a name, so the one with k = 5, rows = pooled is svd itself.
  CHECK(names[0]["name"] == "svd");
  CHECK(names[1]["name"] == "svd(k=2)");
  CHECK(names[2]["name"] == "svd(k=2,rows=positions)");
  CHECK(names[3]["name"] == "svd(rows=positions)");
  CHECK(here.query("SELECT DISTINCT metric FROM score") ==
        Json::parse(R"([{"metric": "surf_mae"}])"));
  // Concepts of k = 2 span less than those of k = 5: other numbers.
  CHECK(board[0]["surf_mae"] != board[3]["surf_mae"]);
}

TEST_CASE("a plugin that sets a locale changes no number, and the log says so") {
  const Workspace here;
  const auto scores = [&](const std::string& mood) {
    here.run({"run", here.write(mood + ".toml", moody("mood = \"" + mood + "\"")), "--no-board"});
    return here.query(
        "SELECT s.value FROM score AS s JOIN attempt AS a ON a.id = s.attempt "
        "ORDER BY a.started_at DESC LIMIT 1");
  };
  const Json calm = scores("calm");
  CHECK(scores("comma") == calm);
  CHECK_SAYS(here.query("SELECT log_tail FROM attempt ORDER BY started_at DESC LIMIT 1").dump(),
             "changed the locale of the process, which was put back");
  const std::string plugin = CONOSCOPE_TEST_PLUGINS "/moody.so";
  const auto check = [&](const std::string& mood) {
    return here.conoscope({"plugin", "check", plugin, "--param", "mood=" + mood}).run().out;
  };
  CHECK_SAYS(check("comma"), "a call changed the locale of the process");
  CHECK(check("calm").find("locale") == std::string::npos);
}

TEST_CASE("a kill from outside while a plugin loads does not quarantine it") {
  const Workspace here;
  const auto marker = here.path("marker");
  const auto file = here.write("slow.toml", moody("mood = \"slow\", marker = \"" + marker + "\""));
  // The marker lies where a confined plugin may not write.
  Process run = here.conoscope({"run", file, "--no-board", "--confine", "off"}).start();
  while (!fs::exists(marker)) {
    REQUIRE(run.running());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (const pid_t worker : processes_with(here.cache())) ::kill(worker, SIGKILL);
  const Ended killed = run.wait(60);
  CHECK(killed.code == 4);
  CHECK_SAYS(killed.err, "killed by SIGKILL");
  CHECK_SAYS(here.run({"run", file, "--no-board", "--confine", "off"}).err, "1 ok");
}

TEST_CASE("a plugin that dies once while it loads is loaded again, and not quarantined") {
  const Workspace here;
  // Two jobs of one file at once: what hurts both may be the same.
  std::string run =
      digits_run("metrics = [\"surf_mae\"]\nplugin_path = [\"" CONOSCOPE_TEST_PLUGINS "\"]", {});
  for (const char* name : {"one", "two"})
    run += std::string("[[explainer]]\nid = \"moody\"\nname = \"") + name +
           "\"\nparams = { mood = \"frail\", marker = \"" + here.path(name) + "\" }\n";
  // The markers lie where a confined plugin may not write.
  const Ended ended =
      here.run({"run", here.write("frail.toml", run), "--no-board", "--confine", "off", "-j", "2"});
  for (const char* name : {"one", "two"})
    CHECK_SAYS(ended.err, std::string(name) + ": killed by SIGABRT, Aborted; trying again");
  CHECK_SAYS(ended.err, "2 ok");
  CHECK_FALSE(fs::exists(here.cache() + "/quarantine.tsv"));
}

TEST_CASE("run files share what they have in common") {
  const Workspace here;
  const auto first =
      here.write("first.toml", digits_run("metrics = [\"surf_mae\"]", {"kmeans", "nmf"}));
  const auto second =
      here.write("second.toml", digits_run("controls = [\"none\", \"random_importance\"]\n"
                                           "metrics = [\"surf_emd\"]",
                                           {"nmf", "kmeans"}));
  here.run({"run", first, "--no-board"});
  const auto artifacts = here.run({"cache"}).out;
  const auto made = [&] {
    std::map<std::string, fs::file_time_type> times;
    for (const auto& entry : fs::recursive_directory_iterator(here.cache() + "/artifacts"))
      if (entry.path().extension() == ".npy")
        times[entry.path().string()] = entry.last_write_time();
    return times;
  };
  const auto before = made();
  REQUIRE(before.size() > 4);
  CHECK_SAYS(here.run({"run", second, "--no-board"}).err, "4 cells, 0 done, 4 to do now");
  CHECK(made() == before);  // nothing was fitted, nothing was written again
  CHECK(here.run({"cache"}).out == artifacts);
  CHECK(here.query("SELECT count(*) AS n FROM component")[0]["n"] == 4);

  // The cache is only a help: without it the same numbers come out.
  const std::string wanted = here.exported();
  fs::remove_all(here.cache());
  const auto anew = here.path("anew.db");
  here.run({"run", first, "--no-board", "--store", anew});
  here.run({"run", second, "--no-board", "--store", anew});
  CHECK(here.exported(anew) == wanted);
  CHECK_SAYS(here.run({"cache", "--trim", "0"}).out, "bytes freed");
  CHECK_SAYS(here.run({"cache"}).out, ": 0 artifacts, 0 bytes");
}

TEST_CASE("a plugin file that changed under its version is said, and run again") {
  const Workspace here;
  fs::create_directory(here.path("mine"));
  const auto plugin = here.path("mine/moody.so");
  fs::copy_file(CONOSCOPE_TEST_PLUGINS "/moody.so", plugin);
  const auto file =
      here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"perfect", "moody"}));
  const std::vector<std::string> command = {"run", file, "--no-board", "--plugin-path",
                                            here.path("mine")};
  here.run(command);
  CHECK_SAYS(here.run(command).err, "2 done, 0 to do now");
  const std::string wanted = here.exported();

  std::ofstream(plugin, std::ios::app) << "another build";
  const Ended again = here.run(command);
  CHECK_SAYS(again.err, "1 finished cell is run again: what made it has changed");
  CHECK_SAYS(again.err, "  plugin moody: 1.0.0 ");
  CHECK_SAYS(again.err, "1 done, 1 to do now");
  CHECK(here.query("SELECT count(DISTINCT binaries) AS n FROM attempt JOIN cell ON cell.key = "
                   "attempt.cell JOIN component ON component.key = cell.explainer WHERE "
                   "plugin_id = 'moody'")[0]["n"] == 2);
  CHECK(here.count("attempt") == 3);
  CHECK(here.exported() == wanted);
  const Ended now = here.run(command);
  CHECK_SAYS(now.err, "2 done, 0 to do now");
  CHECK_FALSE(has(now.err, "has changed"));
}

TEST_CASE("a plugin file that is put back is run again, where the scores of the other count") {
  const Workspace here;
  fs::create_directory(here.path("mine"));
  const auto plugin = here.path("mine/moody.so");
  const auto put = [&plugin](const std::string& file) {
    fs::copy_file(file, plugin, fs::copy_options::overwrite_existing);
  };
  const auto file = here.write(
      "run.toml", digits_run("seeds = [0, 1]\nmetrics = [\"surf_mae\", \"stability\"]", {"moody"}));
  const std::vector<std::string> command = {"run", file, "--no-board", "--plugin-path",
                                            here.path("mine")};
  put(CONOSCOPE_TEST_PLUGINS "/moody.so");
  here.run(command);
  const std::string wanted = here.exported();

  put(CONOSCOPE_TEST_OTHER_MOODY);
  const Ended other = here.run(command);
  CHECK_SAYS(other.err, "0 done, 2 to do now");
  CHECK_SAYS(other.err, "2 cells to compare with other seeds");
  CHECK(here.exported() != wanted);

  put(CONOSCOPE_TEST_PLUGINS "/moody.so");
  const Ended back = here.run(command);
  CHECK_SAYS(back.err, "2 finished cells are run again: what made them has changed");
  CHECK_SAYS(back.err, "0 done, 2 to do now");
  CHECK_SAYS(back.err, "2 cells to compare with other seeds");
  CHECK(here.exported() == wanted);
  CHECK_SAYS(here.run(command).err, "2 done, 0 to do now");
}

TEST_CASE("a plugin's own library that changed is said, and the plugin run again") {
  const Workspace here;
  fs::create_directories(here.path("mine/own"));
  fs::copy_file(CONOSCOPE_TEST_LEANING_MOODY, here.path("mine/moody.so"));
  const auto put = [&here](const std::string& library) {
    fs::copy_file(library, here.path("mine/own/liblean.so"), fs::copy_options::overwrite_existing);
  };
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"moody"}));
  const std::vector<std::string> command = {"run", file, "--no-board", "--plugin-path",
                                            here.path("mine")};
  put(CONOSCOPE_TEST_LEAN_1);
  here.run(command);
  CHECK_SAYS(here.run(command).err, "1 done, 0 to do now");
  const std::string wanted = here.exported();

  put(CONOSCOPE_TEST_LEAN_2);
  const Ended other = here.run(command);
  CHECK_SAYS(other.err, "  liblean.so of plugin moody: ");
  CHECK_SAYS(other.err, "0 done, 1 to do now");
  CHECK_SAYS(other.err, "the cache has it as made by liblean.so of plugin moody ");
  CHECK(here.exported() != wanted);

  put(CONOSCOPE_TEST_LEAN_1);
  const Ended back = here.run(command);
  CHECK_SAYS(back.err, "0 done, 1 to do now");
  CHECK_FALSE(has(back.err, "the cache has it"));  // what it made before is there still
  CHECK(here.exported() == wanted);

  // The kept artifacts are those of the attempt that counts.
  const auto shown = here.query("SELECT cell FROM attempt LIMIT 1")[0]["cell"].get<std::string>();
  const std::string folder = here.json({"artifact", shown}).dump();
  put(CONOSCOPE_TEST_LEAN_2);
  here.run(command);
  CHECK(here.json({"artifact", shown}).dump() != folder);
}

TEST_CASE("an artifact serves only where its environment computes the same") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"kmeans"}));
  const auto run = [&](const std::string& kernels) {
    fs::remove(here.store());
    return here.conoscope({"run", file, "--no-board"}).set("OPENBLAS_CORETYPE", kernels).run().err;
  };
  const auto artifacts = [&] {
    std::size_t out = 0;
    for (const auto& entry : fs::recursive_directory_iterator(here.cache() + "/artifacts"))
      out += entry.path().filename() == "manifest.tsv";
    return out;
  };
  const auto events = [&] {
    return here.query("SELECT count(*) AS n FROM event WHERE kind = 'other_making'")[0]["n"];
  };
  const std::string notice =
      "the cache has it as made by openblas Nehalem, here Haswell; it is made again";
  CHECK_FALSE(has(run("Nehalem"), "made again"));
  CHECK(artifacts() == 3);
  const std::string other = run("Haswell");
  CHECK_SAYS(other, notice);
  CHECK(other.find(notice) == other.rfind(notice));
  CHECK(artifacts() == 6);
  CHECK(events() == 1);
  CHECK_SAYS(here.query("SELECT text FROM environment")[0]["text"], "\nopenblas: Haswell\n");
  // Both are there now, and neither is made again.
  for (const char* kernels : {"Nehalem", "Haswell"}) {
    CHECK_FALSE(has(run(kernels), "made again"));
    CHECK(artifacts() == 6);
  }

  // What a cache has from before this was recorded: named by what they are alone.
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(here.cache() + "/artifacts"))
    if (entry.path().filename() == "manifest.tsv") all.push_back(entry.path().parent_path());
  for (const auto& folder : all) {
    const auto old = folder.parent_path() / folder.filename().string().substr(0, 32);
    fs::remove(folder / "made_by.txt");
    if (fs::exists(old))
      fs::remove_all(folder);
    else
      fs::rename(folder, old);
  }
  CHECK_SAYS(run("Haswell"), "the cache has it as made by what is not recorded; it is made again");
  CHECK(artifacts() == 6);
}

TEST_CASE("what changes no bit makes no artifact anew, and the environment names both places") {
  const Workspace here;
  const auto file = here.write(
      "run.toml", digits_run("metrics = [\"surf_mae\"]\n[limits]\nthreads = 1", {"kmeans"}));
  const auto other = here.write(
      "more.toml", digits_run("metrics = [\"surf_mae\"]\n[limits]\nthreads = 2", {"kmeans"}));
  here.run({"run", file, "--no-board"});
  fs::remove(here.store());
  // As if another kernel, another name of the processor and other confinement had made it.
  for (const auto& entry : fs::recursive_directory_iterator(here.cache() + "/artifacts")) {
    if (entry.path().filename() != "made_by.txt") continue;
    std::string text = conoscope::core::read_hashed(entry.path());
    for (const char* line : {"\ncpu: ", "\nsystem: ", "\nconfinement: "}) {
      const std::size_t at = ("\n" + text).find(line);
      REQUIRE(at != text.npos);
      text.insert(at + std::string(line).size() - 1, "another ");
    }
    conoscope::core::write_hashed(entry.path(), text);
  }
  const Ended again = here.run({"run", other, "--no-board", "-j", "2"});
  CHECK_FALSE(has(again.err, "made again"));
  const Json rows = here.query(
      "SELECT text FROM environment JOIN attempt ON environment.key = "
      "attempt.environment");
  REQUIRE(rows.size() == 1);
  for (const char* line : {"\nartifact cpu: another ", "\nartifact system: another Linux",
                           "\nartifact confinement: another "})
    CHECK_SAYS(rows[0]["text"], line);
}

TEST_CASE("one plugin in two files is refused by both names") {
  const Workspace here;
  fs::create_directory(here.path("mine"));
  fs::copy_file(CONOSCOPE_TEST_PLUGINS "/moody.so", here.path("mine/moody.so"));
  const auto file = here.write("run.toml", moody("mood = \"calm\""));
  const Ended ended = here.run({"run", file, "--no-board", "--plugin-path", here.path("mine")}, 4);
  CHECK_SAYS(ended.err, here.path("mine/moody.so"));
  CHECK_SAYS(ended.err, CONOSCOPE_TEST_PLUGINS "/moody.so");
  CHECK_SAYS(ended.err, "remove one or give it another id");
}

TEST_CASE("a linear explanation is scored without its plugin") {
  const Workspace here;
  here.run({"run", here.write("loud.toml", moody("mood = \"loud\"")), "--no-board"});
  const auto attempts = here.query("SELECT log_tail FROM attempt");
  REQUIRE(attempts.size() == 1);
  // Made once more, it would be heard while the cell was scored.
  CHECK(attempts[0]["log_tail"] ==
        "explain: moody: made\nscore: 299 rows are judged, 600 trained on\n");
}

TEST_CASE("an attempt began when the first of its workers did") {
  const Workspace here;
  const auto marker = here.path("marker");
  const auto file =
      here.write("run.toml", moody("mood = \"patient\", marker = \"" + marker + "\""));
  // The markers lie where a confined plugin may not write.
  Process run = here.conoscope({"run", file, "--no-board", "--confine", "off"}).start();
  while (!fs::exists(marker + "-begun")) {
    REQUIRE(run.running());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::ofstream{marker} << "go on\n";
  CHECK(run.wait(60).code == 0);
  const auto attempt = here.query(
      "SELECT (julianday('now') - julianday(started_at)) * 86400.0 AS ago, seconds FROM attempt");
  REQUIRE(attempt.size() == 1);
  CHECK(attempt[0]["seconds"].get<double>() >= 0.5);
  CHECK(attempt[0]["ago"].get<double>() >= attempt[0]["seconds"].get<double>());
}

TEST_CASE("another parameter of a metric plugin is another metric: its scores are made again") {
  const Workspace here;
  const auto run = [&](const std::string& fault) {
    return here.run_text(digits_run("metrics = [\"surf_mae\"]", {"perfect"}) +
                         "[[metric]]\nfile = \"" CONOSCOPE_TEST_BROKEN
                         "/score_fault.so\"\nparams = { fault = \"" +
                         fault + "\" }\n");
  };
  run("silent");
  const Ended other = run("none");
  CHECK_SAYS(other.err, "1 cells, 0 done, 1 to do now");
  CHECK_SAYS(other.err, "parameters of plugin score_fault");
  CHECK(here.query("SELECT value FROM current_score WHERE metric = 'score_fault'")[0]["value"] ==
        0.5);
  CHECK(here.query("SELECT count(*) AS n FROM score WHERE metric = 'surf_mae'")[0]["n"] == 1);
  CHECK_SAYS(run("none").err, "1 done, 0 to do now");
}

TEST_CASE("a run keeps within its limits.cache, and makes the same scores") {
  const Workspace here, free;
  const auto text = [](const std::string& limits) {
    return "name = \"limited\"\nseeds = [0, 1, 2, 3, 4, 5, 6, 7]\nmetrics = [\"irs_score\"]\n" +
           limits +
           "[[dataset]]\nid = \"dsprites\"\nparams = { samples = 300 }\n"
           "[[model]]\nid = \"ladder_codes\"\n";
  };
  here.run_text(text("limits.cache = \"5 MB\"\n"));
  free.run_text(text(""));
  // More than the limit allows only by what is made until there is made room, and by logs and manifests.
  const auto size_of = [](const Workspace& workspace) {
    return conoscope::core::Cache::size(workspace.cache()).on_disk;
  };
  CHECK(size_of(here) < 6'000'000);
  CHECK(size_of(free) > 9'000'000);
  const auto exported = [](const Workspace& workspace) {
    return workspace
        .run({"query",
              "SELECT seed, metric, value FROM score JOIN attempt ON attempt.id = attempt "
              "JOIN cell ON cell.key = attempt.cell ORDER BY 1, 2",
              "--format", "csv"})
        .out;
  };
  CHECK(exported(here) == exported(free));
  CHECK(exported(here).size() > 100);
}
