// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <optional>
#include <vector>

#include "results/store/file_system.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"
#include "results/store/store.h"
#include "tests/results/sample.h"
#include "tests/support/bytes_of.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;
using sample::problem_of;

namespace {

void make_store(const std::filesystem::path& path) {
  Store store = Store::open(path, Mode::kReadWrite);
  sample::ask(store);
  store.record(attempt("x", key_of("d", "m", "e", 1)), std::vector{score_row("a", 0.5)});
}

// Runs SQL on a file behind the store's back.
void tamper(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

std::string open_problem(const std::filesystem::path& path, Mode mode,
                         std::string* message = nullptr) {
  return problem_of([&] { Store::open(path, mode); }, message);
}

// What the call returns in a process that is not root, for whom no file is read-only.
std::string as_nobody(const std::function<std::string()>& call) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kNobody = 65534;
    std::string text = "could not become nobody";
    if (geteuid() != 0 || (setgid(kNobody) == 0 && setuid(kNobody) == 0)) text = call();
    if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  return text;
}

void permit(const std::filesystem::path& path, int mode) {
  std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
}

}  // namespace

TEST_CASE("open: creates, opens again, reads") {
  sample::Scratch folder;
  // Names that an URI or SQL would read otherwise.
  for (const char* name : {"results.db", "a b?c#d%20e'f.db", "é.db"}) {
    CAPTURE(name);
    make_store(folder / name);
    CHECK(std::filesystem::exists(folder / name));
    Store again = Store::open(folder / name, Mode::kReadWrite);
    CHECK(again.connection().integer("SELECT count(*) FROM attempt") == 1);
    Store reader = Store::open(folder / name, Mode::kReadOnly);
    CHECK(reader.runs().size() == 1);
    CHECK(problem_of([&] { reader.add_environment({"k", ""}); }) == "read_only");
  }
}

TEST_CASE("open: foreign keys, full synchronisation, WAL on a local disk") {
  sample::Scratch folder;
  Store store = Store::open(folder / "s.db", Mode::kReadWrite);
  Connection& connection = store.connection();
  CHECK(connection.integer("PRAGMA foreign_keys") == 1);
  CHECK(connection.integer("PRAGMA synchronous") == 2);
  CHECK(connection.text("PRAGMA journal_mode") ==
        (is_local_disk(folder.path()) ? "wal" : "delete"));
  CHECK(connection.integer("PRAGMA user_version") ==
        static_cast<std::int64_t>(schema_files().size()));
}

TEST_CASE("open: only file systems known as local get WAL") {
  CHECK_FALSE(is_local_disk("/proc"));  // neither local nor network: not known
  CHECK_FALSE(is_local_disk("/no/such/folder"));
}

TEST_CASE("open: a newer schema is refused and left alone") {
  sample::Scratch folder;
  const auto path = folder / "results.db";
  make_store(path);
  tamper(path, "PRAGMA user_version = 7");
  for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
    std::string message;
    CHECK(open_problem(path, mode, &message) == "newer_schema");
    CHECK(message ==
          path.string() +
              ": schema 7 is newer than 6, which this conoscope understands; use a newer "
              "conoscope or another --store");
  }
}

TEST_CASE("open: what is not a store is refused and left as it is") {
  sample::Scratch folder;
  const std::string text = std::string(5000, 'x');
  std::ofstream(folder / "text.db") << text;
  std::ofstream(folder / "empty.db").close();
  tamper(folder / "other.db", "PRAGMA user_version = 1; CREATE TABLE song (title)");
  std::string message;
  for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
    CHECK(open_problem(folder / "text.db", mode, &message) == "not_a_database");
    CHECK(message.find("file is not a database; choose another --store") != std::string::npos);
    CHECK(open_problem(folder / "other.db", mode, &message) == "not_a_store");
    CHECK(message.find("not a store of conoscope") != std::string::npos);
  }
  CHECK(conoscope::testing::bytes_of(folder / "text.db") == text);
  CHECK(open_problem(folder / "empty.db", Mode::kReadOnly) == "not_a_store");
  CHECK(open_problem(folder / "empty.db", Mode::kReadWrite) == "none");
  CHECK(open_problem(folder / "empty.db", Mode::kReadOnly) == "none");
}

TEST_CASE("open: a damaged file") {
  sample::Scratch folder;
  const auto path = folder / "s.db";
  make_store(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);  // the first page after its header
  file << std::string(3996, '\xff');
  file.close();
  CHECK(open_problem(path, Mode::kReadOnly) == "corrupt");
}

TEST_CASE("open: no file, no folder") {
  sample::Scratch folder;
  CHECK(open_problem(folder / "none.db", Mode::kReadOnly) == "cannot_open");
  CHECK(open_problem(folder / "none" / "s.db", Mode::kReadWrite) == "cannot_open");
  CHECK(open_problem(folder.path(), Mode::kReadWrite) == "cannot_open");
}

TEST_CASE("open: a read-only file or folder") {
  sample::Scratch folder;
  const auto path = folder / "s.db";
  make_store(path);
  const auto try_all = [&] {
    std::string message;
    const std::string problem = open_problem(path, Mode::kReadWrite, &message);
    std::string rows = "unread";
    try {
      Store reader = Store::open(path, Mode::kReadOnly);
      rows = std::to_string(reader.connection().integer("SELECT count(*) FROM score"));
    } catch (const StoreError& error) {
      rows = error.what();
    }
    return problem + "|" + message + "|" + rows;
  };

  permit(folder.path(), 0777);
  permit(path, 0444);
  CHECK(as_nobody(try_all) == "read_only|" + path.string() + ": the file is read-only|1");
  permit(path, 0666);
  permit(folder.path(), 0555);
  // Reading works although the index of a WAL store cannot be made beside it.
  CHECK(as_nobody(try_all) == "read_only|" + path.string() + ": the folder " +
                                  folder.path().string() +
                                  " is read-only, and SQLite keeps its journal beside the store|1");
  permit(path, 0000);
  CHECK(as_nobody([&] { return open_problem(path, Mode::kReadOnly); }) == "cannot_open");
  permit(folder.path(), 0755);
}

TEST_CASE("open: the log of a store behind a link is that beside the file") {
  sample::Scratch folder, other;
  const auto path = folder / "s.db", link = other / "link.db";
  make_store(path);
  std::filesystem::create_symlink(path, link);
  permit(folder.path(), 0555);
  permit(other.path(), 0555);
  const auto try_both = [&] {
    return open_problem(path, Mode::kReadOnly) + "|" + open_problem(link, Mode::kReadOnly);
  };
  const std::string without = as_nobody(try_both);
  permit(folder.path(), 0755);
  std::ofstream(path.string() + "-wal") << "written last";
  permit(path.string() + "-wal", 0444);
  permit(folder.path(), 0555);
  CHECK(without == "none|none");
  CHECK(as_nobody(try_both) == "cannot_open|cannot_open");
  permit(folder.path(), 0755);
  permit(other.path(), 0755);
}

TEST_CASE("open: what is no file is not waited for") {
  sample::Scratch folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const std::filesystem::path& path :
       {folder / "pipe", std::filesystem::path("/dev/zero"), folder.path()})
    for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite, Mode::kCopy})
      CHECK(open_problem(path, mode) == "cannot_open");
}

TEST_CASE("open: a lock that is not given back is busy, and says who waited") {
  sample::Scratch folder;
  make_store(folder / "s.db");
  Store holder = Store::open(folder / "s.db", Mode::kReadWrite);
  Store waiter = Store::open(folder / "s.db", Mode::kReadWrite);
  const Transaction lock(holder.connection());
  waiter.connection().execute("PRAGMA busy_timeout = 20");
  CHECK(problem_of([&] { waiter.record(attempt("y", key_of("d", "m", "e", 2)), {}); }) == "busy");
}

TEST_CASE(
    "open: who waits for a lock says so, until it is given back or there is no more waiting") {
  sample::Scratch folder;
  make_store(folder / "s.db");
  Store holder = Store::open(folder / "s.db", Mode::kReadWrite);
  Store waiter = Store::open(folder / "s.db", Mode::kReadWrite);
  const auto record = [&](const char* id, std::string* message = nullptr) {
    return problem_of([&] { waiter.record(attempt(id, key_of("d", "m", "e", 2)), {}); }, message);
  };
  std::vector<bool> asked;
  std::string whose;
  std::optional<Transaction> lock(holder.connection());
  set_lock_wait([&](const std::string& store, bool first) {
    whose = store;
    asked.push_back(first);
    if (asked.size() == 2) lock.reset();
    return true;
  });
  CHECK(record("y") == "none");
  CHECK(whose == (folder / "s.db").string());
  CHECK(asked == std::vector<bool>{true, false});

  lock.emplace(holder.connection());
  set_lock_wait([](const std::string&, bool) { return false; });
  std::string message;
  CHECK(record("z", &message) == "busy");
  set_lock_wait({});
  CHECK(message.find("another process has locked it") != std::string::npos);
}

TEST_CASE("open: a full store (page limit) refuses the attempt and keeps the others") {
  sample::Scratch folder;
  make_store(folder / "s.db");
  Store store = Store::open(folder / "s.db", Mode::kReadWrite);
  store.connection().text("PRAGMA max_page_count = " +
                          std::to_string(store.connection().integer("PRAGMA page_count")));
  AttemptRow large = attempt("large", key_of("d", "m", "e", 2));
  large.log_tail = std::string(1'000'000, 'x');
  std::string message;
  CHECK(problem_of([&] { store.record(large, std::vector{score_row("a", 1)}); }, &message) ==
        "disk_full");
  CHECK(message.find("the disk is full, nothing of this step was saved") != std::string::npos);
  CHECK(store.connection().integer("SELECT count(*) FROM attempt") == 1);
  CHECK(store.connection().text("PRAGMA integrity_check") == "ok");
  // With room again the same object goes on.
  store.connection().text("PRAGMA max_page_count = 1000000");
  CHECK(store.record(large, std::vector{score_row("a", 1)}));
}

TEST_CASE("open: a disk that is really full") {
  sample::Scratch folder;
  if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
    MESSAGE("no right to mount a small tmpfs here: the page limit above stands for it");
    return;
  }
  {
    Store store = Store::open(folder / "s.db", Mode::kReadWrite);
    sample::ask(store);
    AttemptRow row = attempt("0", key_of("d", "m", "e", 2));
    row.log_tail = std::string(50'000, 'x');
    int saved = 0;
    std::string problem = "none";
    for (; problem == "none" && saved < 100; ++saved) {
      row.id = std::to_string(saved);
      problem = problem_of([&] { store.record(row, {}); });
    }
    --saved;  // the one that failed
    CHECK(problem == "disk_full");
    CHECK(saved > 0);
    CHECK(store.connection().integer("SELECT count(*) FROM attempt") == saved);
    CHECK(store.connection().text("PRAGMA integrity_check") == "ok");
  }
  CHECK(umount(folder.path().c_str()) == 0);
}
