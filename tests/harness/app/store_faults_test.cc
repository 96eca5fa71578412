// SPDX-License-Identifier: Apache-2.0
// Stores and caches that cannot be written: exit code 5 for a store, failed cells for a cache, and
// what could be saved is saved.

#include <sqlite3.h>

#include "results/store/sql.h"
#include "tests/harness/app/workspace.h"
#include "tests/support/bytes_of.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

void alter(const std::string& store, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(store.c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

/// Takes the right to write away, and gives it back for the cleaning up.
class WriteProtected {
 public:
  explicit WriteProtected(const fs::path& path) : path_(path) { change(fs::perm_options::remove); }
  ~WriteProtected() { change(fs::perm_options::add); }

 private:
  void change(fs::perm_options how) const {
    fs::permissions(path_,
                    fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write, how);
  }
  fs::path path_;
};

}  // namespace

TEST_CASE("a store that is not one, or of a newer conoscope") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf\"]", {"perfect"}));
  const auto text = here.write("text.db", "These are not the results that you look for.\n");
  const Ended not_one = here.run({"run", file, "--store", text}, 5);
  CHECK_SAYS(not_one.err, "text.db");
  CHECK_SAYS(not_one.err, "not a database");
  CHECK(bytes_of(text) == "These are not the results that you look for.\n");

  here.run({"run", file});
  const std::string before = here.exported();
  alter(here.store(), "PRAGMA user_version = 99");
  const Ended newer = here.run({"run", file}, 5);
  CHECK_SAYS(newer.err, "results.db");
  CHECK_SAYS(newer.err, "99");
  CHECK_SAYS(here.run({"board"}, 5).err, "99");
  alter(here.store(),
        "PRAGMA user_version = " + std::to_string(conoscope::results::schema_files().size()));
  CHECK(here.exported() == before);

  const auto foreign = here.path("foreign.db");
  alter(foreign, "CREATE TABLE diary (day TEXT)");
  const std::string diary = bytes_of(foreign);
  CHECK_SAYS(here.run({"run", file, "--store", foreign}, 5).err, "foreign.db");
  CHECK(bytes_of(foreign) == diary);

  CHECK_SAYS(here.run({"run", file, "--store", here.path("no/folder.db")}, 5).err, "no folder");
  CHECK_SAYS(here.run({"run", file, "--store", here.path("")}, 5).err, "conoscope-test");
  CHECK_SAYS(here.run({"board", "--store", here.path("none.db")}, 5).err, "none.db: no such file");
}

TEST_CASE("a store that may not be written") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf\"]", {"perfect"}));
  const auto more = here.write("more.toml", digits_run("metrics = [\"surf\"]", {"svd"}));
  fs::create_directory(here.path("results"));
  const auto store = here.path("results/store.db");
  here.run({"run", file, "--store", store});
  const std::string before = here.exported(store);
  const auto refused = [&](const std::string& what) {
    const Ended ended = here.conoscope({"run", more, "--store", store}).obey_permissions().run();
    if (ended.code == 127) SKIP_TEST("this machine lets root give up no privileges");
    CHECK(ended.code == 5);
    CHECK_SAYS(ended.err, store);
    CHECK_SAYS(ended.err, what);
    // Reading goes on.
    const Ended reading = here.conoscope({"export", "--store", store}).obey_permissions().run();
    CHECK(reading.code == 0);
    CHECK(reading.out == before);
  };
  {
    const WriteProtected protect(store);
    refused("the file is read-only");
  }
  {
    const WriteProtected protect(here.path("results"));
    refused("is read-only");
  }
  {
    const WriteProtected protect_file(store);
    const WriteProtected protect_folder(here.path("results"));
    refused("is read-only");
  }
  CHECK(here.exported(store) == before);
  here.run({"run", more, "--store", store});
}

TEST_CASE("a full disk under the store") {
  const Workspace reference;
  const auto file = reference.write("run.toml", whole_run());
  reference.run({"run", file, "--no-board", "-j", "2"});

  const Workspace here;
  const SmallDisk disk(here.path("disk"), 4 << 20);
  if (!disk.refusal().empty()) SKIP_TEST(disk.refusal());
  const auto store = here.path("disk/results.db");
  here.run({"run", file, "--no-board", "--only", "explainer=perfect", "--store", store});
  const auto attempts = [&] {
    return here.json({"query", "SELECT count(*) AS n FROM attempt", "--store", store})[0]["n"]
        .get<int>();
  };
  const int before = attempts();
  disk.fill_up_to(96 << 10);  // the log of some cells fits, not that of all
  const Ended full = here.run({"run", file, "--no-board", "--store", store}, 5);
  CHECK_SAYS(full.err, "the disk is full");
  const auto begin = full.err.find("conoscope merge ");
  REQUIRE(begin != std::string::npos);
  const std::string advice = full.err.substr(begin + 16);
  const std::string recovery = advice.substr(0, advice.find(' '));
  REQUIRE(fs::exists(recovery));

  disk.empty_again();
  CHECK(attempts() >= before);
  const int saved = attempts();
  const std::string merged = here.run({"merge", recovery, "--store", store}).err;
  CHECK_FALSE(has(merged, ": 0 new attempts"));
  CHECK(attempts() > saved);
  here.run({"run", file, "--no-board", "--store", store});
  CHECK(attempts() == kWholeRunCells);
  CHECK(here.exported(store) == reference.exported());
}

TEST_CASE("a disk that is full from the start") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf\"]", {"perfect"}));
  const SmallDisk disk(here.path("disk"), 1 << 20);
  if (!disk.refusal().empty()) SKIP_TEST(disk.refusal());
  disk.fill_up_to(0);
  const Ended ended = here.run({"run", file, "--store", here.path("disk/results.db")}, 5);
  CHECK_SAYS(ended.err, "disk/results.db");
  CHECK_SAYS(ended.err, "full");
  disk.empty_again();
  here.run({"run", file, "--store", here.path("disk/results.db")});
}

TEST_CASE("a full disk under the cache") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf\"]", {"perfect", "svd"}));
  const SmallDisk disk(here.path("disk"), 2 << 20);  // the activations take 3.5 MiB
  if (!disk.refusal().empty()) SKIP_TEST(disk.refusal());
  const Ended full = here.run({"run", file, "--cache", here.path("disk/cache")}, 4);
  CHECK_SAYS(full.err, "No space left on device");
  const auto failures = here.json({"status"})["failures"];
  REQUIRE(failures.size() == 2);
  for (const auto& row : failures) {
    CHECK(row["status"] == "failed");
    CHECK_SAYS(row["message"].get<std::string>(), "activations.npy");
    CHECK_SAYS(row["message"].get<std::string>(), "No space left on device");
  }
  CHECK(fs::is_empty(here.path("disk/cache/work")));  // what was begun is cleared away

  // No room for even a worker's folder.
  disk.fill_up_to(0);
  const Ended fuller = here.run({"run", file, "--cache", here.path("disk/cache")}, 4);
  CHECK_SAYS(fuller.err, "No space left on device");

  CHECK_SAYS(here.run({"run", file}).err, "2 ok");  // with another cache
}

TEST_CASE("a cache that may not be written") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf\"]", {"perfect"}));
  fs::create_directories(here.path("cache/work"));
  fs::create_directories(here.path("cache/artifacts"));
  const WriteProtected protect(here.path("cache/work"));
  const Ended ended = here.conoscope({"run", file}).obey_permissions().run();
  if (ended.code == 127) SKIP_TEST("this machine lets root give up no privileges");
  CHECK(ended.code == 5);
  CHECK_SAYS(ended.err, "the cache folder cannot be written to");
  CHECK_SAYS(ended.err, "choose another with --cache");
  const Ended shown = here.conoscope({"cache"}).obey_permissions().run();
  CHECK(shown.code == 0);
  CHECK_SAYS(shown.out, ": 0 artifacts, 0 bytes");
}

TEST_CASE("plugin new: a folder that cannot be written") {
  const Workspace here;
  const std::string below = here.write("file", "") + "/folder";
  for (const char* language : {"c++", "python"}) {
    const Ended ended = here.run(
        {"plugin", "new", "explainer", "mine", "--language", language, "--folder", below}, 5);
    CHECK_SAYS(ended.err, below + ": cannot be made: Not a directory");
    CHECK(ended.out == "");
  }
  // What is in the way of one file.
  fs::create_directories(here.path("mine"));
  const WriteProtected protect(here.path("mine"));
  const Ended ended =
      here.conoscope({"plugin", "new", "explainer", "mine", "--folder", here.path("mine")})
          .obey_permissions()
          .run();
  if (ended.code == 127) SKIP_TEST("this machine lets root give up no privileges");
  CHECK(ended.code == 5);
  CHECK_SAYS(ended.err, ": cannot be written");
}

TEST_CASE("a merge of what is not there makes no store") {
  const Workspace here;
  here.run_text(digits_run("metrics = [\"surf_mae\"]", {"perfect"}));
  for (const auto& first : {here.path("nosuch.db"), here.store()}) {
    const Ended ended =
        here.run({"merge", first, here.path("nosuch.db"), "--store", here.path("all.db")}, 5);
    CHECK_SAYS(ended.err, "nosuch.db");
    CHECK_FALSE(fs::exists(here.path("all.db")));
  }
  here.run({"merge", here.store(), "--store", here.path("all.db")});
}

TEST_CASE("a folder of the cache that nobody may enter does not hide the others") {
  const Workspace here;
  here.run_text(digits_run("metrics = [\"surf_mae\"]", {"perfect"}));
  const std::string whole = here.run({"cache"}).out;
  for (const char* name : {"cache/artifacts/00", "cache/artifacts/zz"}) {
    fs::create_directories(here.path(name));
    fs::permissions(here.path(name), fs::perms::none);
  }
  const Ended shown = here.conoscope({"cache"}).obey_permissions().run();
  if (shown.code == 127) SKIP_TEST("this machine lets root give up no privileges");
  CHECK(shown.code == 0);
  CHECK(shown.out == whole);
}

TEST_CASE("a query that writes is refused") {
  const Workspace here;
  here.run({"run", here.write("run.toml", digits_run("", {"perfect"}))});
  const std::string before = here.exported();
  CHECK_FALSE(here.run({"query", "DELETE FROM score"}, 2).err.empty());
  CHECK_SAYS(here.run({"query", "SELEC 1"}, 2).err, "syntax error");
  CHECK_SAYS(here.run({"query", "--saved", "bord"}, 2).err, "bord");
  CHECK_SAYS(here.run({"query"}, 2).err, "give SQL");
  CHECK(here.exported() == before);
}
