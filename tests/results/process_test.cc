// SPDX-License-Identifier: Apache-2.0
// Several processes at one store, and processes that die.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "results/store/sqlite.h"
#include "results/store/store.h"
#include "tests/results/sample.h"

using namespace conoscope::results;

namespace {

constexpr int kMetrics = 20;

std::vector<MetricKeyRow> metric_keys() {
  std::vector<MetricKeyRow> keys;
  for (int i = 0; i < kMetrics; ++i)
    keys.push_back(sample::metric(std::string("m").append(std::to_string(i))));
  return keys;
}

std::vector<ScoreRow> scores(double value) {
  std::vector<ScoreRow> rows;
  for (int i = 0; i < kMetrics; ++i)
    rows.push_back(score_row(std::string("m").append(std::to_string(i)), value + i));
  return rows;
}

}  // namespace

TEST_CASE("kill -9: no acknowledged attempt is lost, none is there in part") {
  sample::Scratch folder;
  const auto path = folder / "s.db";
  {
    Store store = Store::open(path, Mode::kReadWrite);
    sample::ask(store, {.seeds = 50, .metrics = metric_keys()});
  }
  std::mt19937_64 random(11);
  std::int64_t acknowledged = 0;
  constexpr int kKills = 10;
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      try {
        Store store = Store::open(path, Mode::kReadWrite);
        for (int i = 0; i < 1'000'000; ++i) {
          const std::string id = std::to_string(kill_number) + "-" + std::to_string(i);
          store.record(sample::attempt(id, sample::key_of("d", "m", "e", 1 + i % 50), i),
                       scores(i));
          if (write(ends[1], "+", 1) != 1) _exit(2);
        }
      } catch (...) {
        _exit(3);
      }
      _exit(4);
    }
    close(ends[1]);
    // Dies at any moment from its first acknowledged attempt on.
    char byte = 0;
    REQUIRE(read(ends[0], &byte, 1) == 1);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    REQUIRE(kill(child, SIGKILL) == 0);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    std::int64_t here = 1;
    while (read(ends[0], &byte, 1) == 1) ++here;
    close(ends[0]);
    acknowledged += here;

    Store store = Store::open(path, Mode::kReadWrite);
    Connection& connection = store.connection();
    REQUIRE(connection.text("PRAGMA integrity_check") == "ok");
    // It may have died between saving and saying so.
    const std::int64_t saved = connection.integer("SELECT count(*) FROM attempt WHERE id LIKE '" +
                                                  std::to_string(kill_number) + "-%'");
    CHECK(saved >= here);
    CHECK(saved <= here + 1);
    CHECK(connection.integer(
              "SELECT count(*) FROM (SELECT attempt FROM score GROUP BY attempt HAVING "
              "count(*) <> 20)") == 0);
    CHECK(connection.integer("SELECT count(*) FROM score") ==
          kMetrics * connection.integer("SELECT count(*) FROM attempt"));
  }
  MESSAGE(acknowledged << " attempts acknowledged over " << kKills << " kills");
}

TEST_CASE("eight writers that open, create and write at once lose nothing") {
  sample::Scratch folder;
  const auto path = folder / "s.db";
  constexpr int kWriters = 8, kAttempts = 40;
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        // All of them find no file, and migrate.
        Store store = Store::open(path, Mode::kReadWrite);
        sample::ask(store, {.seeds = kAttempts, .metrics = metric_keys()});
        for (int i = 0; i < kAttempts; ++i)
          if (!store.record(sample::attempt(std::to_string(writer) + "-" + std::to_string(i),
                                            sample::key_of("d", "m", "e", 1 + i), writer),
                            scores(writer)))
            _exit(2);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "writer %d: %s\n", writer, error.what());
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  Store store = Store::open(path, Mode::kReadOnly);
  Connection& connection = store.connection();
  CHECK(connection.text("PRAGMA integrity_check") == "ok");
  CHECK(connection.integer("SELECT count(*) FROM attempt") == kWriters * kAttempts);
  CHECK(connection.integer("SELECT count(*) FROM score") == kWriters * kAttempts * kMetrics);
  // Each attempt has a number of its own, and the newest of a cell is the one that was committed last.
  CHECK(connection.integer("SELECT count(DISTINCT number) FROM attempt") == kWriters * kAttempts);
  CHECK(connection.integer(
            "SELECT count(*) FROM current_score JOIN attempt AS its ON its.id = attempt "
            "WHERE its.rowid = (SELECT max(rowid) FROM attempt WHERE cell = its.cell)") ==
        kAttempts * kMetrics);
}
