// SPDX-License-Identifier: Apache-2.0
// What whoever starts the command leaves it with: signals, limits, an environment, files that are none.

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "results/store/sqlite.h"
#include "results/store/store.h"
#include "tests/harness/app/workspace.h"
#include "tests/support/capture_binding.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

std::string small_run() { return digits_run("metrics = [\"surf\"]", {"svd", "perfect"}); }

const std::string kLongRun = digits_run("metrics = [\"surf_mae\"]", {"kmeans"}) +
                             "params = { k = 50, n_init = 1000000 }  # hours\n";

/// Another text in the run that the store knows, as somebody else may have written it.
void alter_run_text(const std::string& store, const std::string& from, const std::string& to) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(store.c_str(), &database) == SQLITE_OK);
  const std::string sql =
      "UPDATE run SET file_text = "
      "replace(file_text, '" +
      from + "', '" + to + "')";
  CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  CHECK(sqlite3_changes(database) == 1);
  sqlite3_close(database);
}

}  // namespace

TEST_CASE("children that nobody hears of, as with SIGCHLD ignored, are waited for all the same") {
  const Workspace here;
  const auto file = here.write("run.toml", small_run());
  const Ended ended = here.conoscope_after("trap '' CHLD PIPE XFSZ", {"run", file}).run(60);
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK_SAYS(ended.err, "2 ok");
}

TEST_CASE("signals that were blocked are heard") {
  const Workspace here;
  const auto file = here.write("run.toml", kLongRun);
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  Process run = here.conoscope({"run", file}).start();
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  while (processes_with(here.cache()).empty()) REQUIRE(run.running());
  run.send(SIGTERM);
  CHECK(run.wait(30).code == 75);
}

TEST_CASE("a small stack is made larger, or is said to be too small") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf\"]", {"svd", "nmf"}));
  const Ended raised = here.conoscope_after("ulimit -S -s 100", {"run", file}).run();
  CHECK_MESSAGE(raised.code == 0, raised.err);
  CHECK_SAYS(raised.err, "2 ok");
  // One that may not be raised.
  const std::string as_user = ::geteuid() != 0 ? "" : "setpriv --bounding-set -sys_resource ";
  for (const char* size : {"64", "100", "512"}) {
    CAPTURE_BINDING(size);
    const Ended ended =
        here.conoscope_after("ulimit -s " + std::string(size) + "\nset -- " + as_user + "\"$@\"",
                             {"run", file})
            .run();
    CHECK(ended.code == 2);
    CHECK_SAYS(ended.err, "the stack may have only " + std::string(size) +
                              " KiB: at least 1024 are needed (ulimit -s 8192)");
  }
}

TEST_CASE("without /proc the command says that it needs it") {
  const Workspace here;
  const auto file = here.write("run.toml", small_run());
  const std::string hide =
      "exec unshare -rm sh -c 'mount -t tmpfs none /proc && exec \"$@\"' sh \"$@\"";
  if (here.conoscope_after(hide, {"--version"}).run().code != 0)
    SKIP_TEST("this machine does not allow to mount");
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"run"}, {"run", "quick"}, {"run", file}, {"plan", file}, {"plugin", "list"}}) {
    const Ended ended = here.conoscope_after(hide, words).run(20);
    CHECK(ended.code == 2);
    CHECK_SAYS(ended.err, "needs /proc");
  }
}

TEST_CASE("a limit on the size of files is an error with a text, and nothing recorded is lost") {
  const Workspace here;
  const auto file = here.write("run.toml", whole_run());
  here.run({"run", file, "--no-board", "--only", "explainer=perfect"});
  const auto before = here.count("attempt");
  // dash counts in blocks of 512 bytes: the store may grow no further.
  const auto blocks = std::to_string(fs::file_size(here.store()) / 512 + 8);
  const Ended ended =
      here.conoscope_after("ulimit -f " + blocks, {"run", file, "--no-board"}).run(60);
  CHECK(ended.signal == 0);
  CHECK(ended.code == 5);
  CHECK_SAYS(ended.err, " bytes here (ulimit -f)");
  CHECK(here.count("attempt") >= before);
  here.run({"run", file, "--no-board"});
  CHECK(here.count("attempt") >= kWholeRunCells);
}

TEST_CASE("a store that another process has locked is waited for, and who waits says so") {
  const Workspace here;
  const auto file = here.write("run.toml", small_run());
  here.run({"run", file, "--only", "explainer=perfect"});
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(here.store().c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_busy_timeout(database, 60'000) == SQLITE_OK);  // a run that begins looks into it
  REQUIRE(sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  const auto said = here.store() + " is locked by another process";
  SUBCASE("until it is free") {
    Process run = here.conoscope({"run", file}).start();
    CHECK(run.wait_for_err(said, 30));
    CHECK(run.err().find("waiting up to 5 minutes") != std::string::npos);
    REQUIRE(sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK);
    const Ended ended = run.wait(60);
    CHECK_MESSAGE(ended.code == 0, ended.err);
    CHECK(here.count("attempt") == 2);
  }
  SUBCASE("or until the run is told to stop: what it has is kept elsewhere") {
    REQUIRE(sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK);
    const auto more = here.write("more.toml", digits_run("metrics = [\"surf\"]", {"kmeans"}) +
                                                  "params = { k = 50, n_init = 300 }\n");
    Process run = here.conoscope({"run", more}).start();
    CHECK(run.wait_for_err("1 to do now", 30));
    REQUIRE(sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
    CHECK(run.wait_for_err(said, 600));
    run.send(SIGTERM);
    const Ended ended = run.wait(60);
    CHECK(ended.code == 5);
    CHECK_SAYS(ended.err, "Let what has locked it end, then: conoscope merge ");
    CHECK_FALSE(has(ended.err, "Make room"));
  }
  sqlite3_close(database);
}

TEST_CASE("what changes how the C library computes does not reach a worker") {
  const Workspace plain, tuned;
  const auto text = digits_run("metrics = [\"surf\", \"completeness\"]", {"svd", "kmeans", "ica"});
  plain.run_text(text);
  const Ended ended = tuned.conoscope({"run", tuned.write("run.toml", text), "--no-board"})
                          .set("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F")
                          .set("OPENBLAS_MAIN_FREE", "1")
                          .set("OMP_DYNAMIC", "true")
                          .set("MKL_CBWR", "COMPATIBLE")
                          .run();
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(tuned.exported() == plain.exported());
}

TEST_CASE("devices, pipes and the kernel's files are no data, no plugins and no runs") {
  const Workspace here;
  const auto with = [&here](const std::string& data, const std::string& plugin) {
    return here.write("run.toml",
                      "[[dataset]]\nid = \"precomputed\"\nparams = { archive = \"" + data +
                          "\" }\n[[model]]\nid = \"precomputed\"\n[[explainer]]\n" + plugin + "\n");
  };
  const std::string svd = "id = \"svd\"";
  const auto refused = [&](const std::vector<std::string>& words, const std::string& name,
                           int code) {
    const Ended ended = here.conoscope(words).run(20);
    CHECK(ended.code == code);
    CHECK_SAYS(ended.err + ended.out, name);
  };
  here.run({"run", here.write("small.toml", small_run()), "--no-board"});  // a store to be asked
  for (const std::string name : {"/proc/kmsg", "/proc/self/pagemap", "/dev/zero"}) {
    CAPTURE_BINDING(name);
    const std::string last = fs::path(name).filename();  // "self" is another name each time
    refused({"plan", with(name, svd)}, name + ": a ", 2);
    refused({"run", with(name, svd)}, name + ": a ", 2);
    refused({"run", name}, name + ": a ", 2);
    refused({"reproduce", name}, name, 2);
    refused({"measure", name}, name, 2);
    refused({"plugin", "info", name}, last, name == "/dev/zero" ? 2 : 3);
    refused({"plugin", "check", name}, last, 3);
    refused({"query", "--file", name}, name, 2);
    refused({"merge", name}, name, 5);
    refused({"run", with(CONOSCOPE_TEST_DIGITS, "file = \"" + name + "\"")}, last, 4);
  }
}

TEST_CASE("nor does a foreign store make this machine read them") {
  const Workspace here;
  here.run_text(small_run());
  for (const std::string name : {"/proc/kmsg", "/proc/self/pagemap"}) {
    CAPTURE_BINDING(name);
    const auto foreign = here.path(fs::path(name).filename().string() + ".db");
    fs::copy_file(here.store(), foreign);
    alter_run_text(foreign, CONOSCOPE_TEST_DIGITS, name);
    const Ended verified = here.conoscope({"verify", foreign}).run(60);
    CHECK(verified.code != 0);
    const auto store = here.path("mine.db");
    const Ended merged =
        here.conoscope({"merge", foreign, "--verify", "1", "--store", store}).run(60);
    CHECK(merged.code != 0);
  }
}
