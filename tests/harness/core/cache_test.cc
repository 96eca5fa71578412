// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/cache.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <vector>

#include "harness/core/artifacts/manifest.h"
#include "tests/support/content_of.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using conoscope::core::Cache;
using conoscope::testing::Scratch;
namespace fs = std::filesystem;

namespace {

std::string key_of(int i) {
  char text[33];
  std::snprintf(text, sizeof(text), "%02x%030x", static_cast<unsigned>(i % 256),
                static_cast<unsigned>(i));
  return text;
}

/// A finished artifact in a work folder.
fs::path make_work(const Cache& cache, const std::string& content) {
  const auto work = cache.make_work_folder();
  fs::create_directories(work / "artifact");
  std::ofstream(work / "artifact" / "x.npy") << content;
  std::ofstream(work / "artifact" / "manifest.tsv") << "";
  return work;
}

void add(const Cache& cache, const std::string& key, const std::string& content) {
  cache.commit(make_work(cache, content), key);
}

std::string content_of(const Cache& cache, const std::string& key) {
  return conoscope::testing::content_of(cache.path_of(key) / "x.npy");
}

void used_at(const Cache& cache, const std::string& key, std::int64_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, (cache.path_of(key) / "manifest.tsv").c_str(), times, 0) == 0);
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("an artifact is there once it is committed, and not before") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  const auto work = make_work(cache, "one");
  CHECK_FALSE(cache.has(key_of(1)));
  cache.commit(work, key_of(1));
  CHECK(cache.has(key_of(1)));
  CHECK(content_of(cache, key_of(1)) == "one");
  CHECK(cache.path_of("abcdef") == fs::path(scratch.path("cache")) / "artifacts/ab/abcdef");
  CHECK(Cache(scratch.path("cache")).has(key_of(1)));
}

TEST_CASE("who comes second leaves the first one's artifact as it is") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  add(cache, key_of(1), "one");
  add(cache, key_of(1), "two");
  CHECK(content_of(cache, key_of(1)) == "one");
}

TEST_CASE("what is left of an artifact is replaced") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  fs::create_directories(cache.path_of(key_of(1)));
  std::ofstream(cache.path_of(key_of(1)) / "x.npy") << "half";
  CHECK_FALSE(cache.has(key_of(1)));
  add(cache, key_of(1), "whole");
  CHECK(cache.has(key_of(1)));
  CHECK(content_of(cache, key_of(1)) == "whole");
}

TEST_CASE("many processes commit the same keys at once: each artifact is there, and whole") {
  const Scratch scratch;
  const std::string root = scratch.path("cache");
  const Cache cache(root);
  std::vector<pid_t> children;
  for (int child = 0; child < 6; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      int code = 0;
      try {
        const Cache mine(root);
        for (int i = 0; i < 40; ++i) add(mine, key_of(i), std::string(2000, 'x'));
      } catch (...) {
        code = 1;
      }
      ::_exit(code);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    CHECK(status == 0);
  }
  for (int i = 0; i < 40; ++i) CHECK(content_of(cache, key_of(i)) == std::string(2000, 'x'));
}

TEST_CASE("a commit that cannot be is said") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  const auto work = cache.make_work_folder();  // without an artifact
  CHECK_THROWS_SAYING(cache.commit(work, key_of(1)), std::runtime_error, key_of(1),
                      "cannot be made");
}

TEST_CASE("trim removes what was used longest ago, and keeps the newest") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  const std::string content(1000, 'x');
  for (int i = 0; i < 10; ++i) {
    add(cache, key_of(i), content);
    used_at(cache, key_of(i), 1000 + i);
  }
  CHECK(cache.trim(100000, 5000) == 0);
  CHECK(cache.trim(4500, 5000) == 6000);
  for (int i = 0; i < 6; ++i) CHECK_FALSE(cache.has(key_of(i)));
  for (int i = 6; i < 10; ++i) CHECK(content_of(cache, key_of(i)) == content);
  // Used now: the oldest has become the newest.
  cache.touch(key_of(6));
  CHECK(cache.trim(1000, 5000) == 3000);
  CHECK(cache.has(key_of(6)));
  // This process's work folder and its lock; in it the emptied folders of the ten, no remains.
  CHECK(entries(cache.root() / "work") == 2);
  CHECK(entries(cache.make_work_folder().parent_path()) == 11);
}

namespace {

/// With an array that is large enough to be shared.
fs::path sealed_work(const Cache& cache, char letter) {
  const auto work = make_work(cache, std::string(100'000, letter));
  const conoscope::core::ArrayPool pool(cache.arrays());
  conoscope::core::seal_artifact(work / "artifact", "", "", {}, &pool);
  return work;
}

void add_sealed(const Cache& cache, const std::string& key, char letter) {
  cache.commit(sealed_work(cache, letter), key);
}

ino_t inode_of(const Cache& cache, const std::string& key) {
  struct stat info {};
  REQUIRE(::stat((cache.path_of(key) / "x.npy").c_str(), &info) == 0);
  return info.st_ino;
}

}  // namespace

TEST_CASE("equal arrays are one file, which goes with the last artifact that has it") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  for (int i = 0; i < 3; ++i) add_sealed(cache, key_of(i), 'a');
  add_sealed(cache, key_of(3), 'b');
  CHECK(inode_of(cache, key_of(1)) == inode_of(cache, key_of(0)));
  CHECK(inode_of(cache, key_of(3)) != inode_of(cache, key_of(0)));
  for (int i = 0; i < 4; ++i) conoscope::core::verify_artifact(cache.path_of(key_of(i)));
  const Cache::Size size = Cache::size(cache.root());
  CHECK(size.artifacts == 4);
  CHECK(size.referred - size.on_disk == 200'000);

  for (int i = 0; i < 4; ++i) used_at(cache, key_of(i), 1000 + i);
  CHECK(cache.trim(size.on_disk - 1, 5000) < 1000);  // the manifest of the first
  CHECK_FALSE(cache.has(key_of(0)));
  CHECK(cache.trim(100'500, 5000) > 100'000);
  CHECK_FALSE(cache.has(key_of(2)));
  CHECK(cache.has(key_of(3)));
  CHECK(fs::exists(cache.root() / "arrays"));
  cache.trim(0, 5000);
  for (const auto& entry : fs::recursive_directory_iterator(cache.root() / "arrays"))
    CHECK(entry.is_directory());
}

TEST_CASE("what the pool has is not written once more") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  add_sealed(cache, key_of(0), 'a');
  const auto work = sealed_work(cache, 'a');
  CHECK(fs::file_size(work / "artifact" / "x.npy") == 0);
  cache.commit(work, key_of(1));
  CHECK(inode_of(cache, key_of(1)) == inode_of(cache, key_of(0)));

  // What is handed through from an input is the pool's file already, and has no second name here.
  const auto handed = sealed_work(cache, 'a');
  fs::remove(handed / "artifact" / "x.npy");
  fs::create_hard_link(cache.path_of(key_of(0)) / "x.npy", handed / "artifact" / "x.npy");
  cache.commit(handed, key_of(3));
  CHECK_FALSE(fs::exists(cache.path_of(key_of(3)) / "x.npy.shared"));
  cache.discard(key_of(3));
  add_sealed(cache, key_of(0), 'a');

  const auto late = sealed_work(cache, 'a');
  cache.discard(key_of(0));  // and with it what the pool has
  CHECK_THROWS_WITH_AS(cache.commit(late, key_of(2)), doctest::Contains("is gone"),
                       conoscope::core::SharedArrayGone);
  CHECK_FALSE(cache.has(key_of(2)));
}

TEST_CASE("what is made in the place of a damaged artifact has no array of it") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  add_sealed(cache, key_of(1), 'a');
  std::fstream(cache.path_of(key_of(1)) / "x.npy") << "b";
  cache.discard(key_of(1));
  CHECK_FALSE(cache.has(key_of(1)));
  add_sealed(cache, key_of(1), 'a');
  conoscope::core::verify_artifact(cache.path_of(key_of(1)));
}

TEST_CASE("trim never removes what was used since") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  for (int i = 0; i < 4; ++i) {
    add(cache, key_of(i), "x");
    used_at(cache, key_of(i), 1000 + i);
  }
  CHECK(cache.trim(0, 1002) == 2);
  CHECK_FALSE(cache.has(key_of(1)));
  CHECK(cache.has(key_of(2)));
  CHECK(cache.has(key_of(3)));
}

TEST_CASE("an artifact that is trimmed is moved away before its first file goes") {
  // Otherwise what is left of it, after a kill for ever, would be taken for a finished artifact.
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  add(cache, key_of(1), "x");
  used_at(cache, key_of(1), 1000);
  const int watch = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  REQUIRE(::inotify_add_watch(watch, cache.path_of(key_of(1)).c_str(), IN_DELETE | IN_MOVE_SELF) >=
          0);
  CHECK(cache.trim(0, 5000) == 1);
  alignas(inotify_event) char buffer[4096];
  std::vector<std::uint32_t> seen;
  const auto length = ::read(watch, buffer, sizeof(buffer));
  ::close(watch);
  for (ssize_t at = 0; at < length;) {
    inotify_event event;
    std::memcpy(&event, buffer + at, sizeof(event));
    seen.push_back(event.mask);
    at += static_cast<ssize_t>(sizeof(event) + event.len);
  }
  REQUIRE(seen.size() >= 3);
  CHECK(seen[0] == IN_MOVE_SELF);
  CHECK(seen[1] == IN_DELETE);
  CHECK(seen[2] == IN_DELETE);
  CHECK_FALSE(cache.has(key_of(1)));
}

TEST_CASE("a work folder has room for scratch, and none is handed out twice") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  const auto one = cache.make_work_folder(), two = cache.make_work_folder();
  CHECK(one != two);
  CHECK(fs::is_directory(one / "scratch"));
  CHECK(fs::is_empty(two / "scratch"));
  CHECK(Cache(scratch.path("cache")).make_work_folder() != one);
}

TEST_CASE("work folders of dead processes of this machine are removed, all others stay") {
  const Scratch scratch;
  const fs::path root = scratch.path("cache");
  const Cache cache(root);
  const auto mine = cache.make_work_folder();
  fs::path dead;
  {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      const Cache child(root);
      const std::string folder = child.make_work_folder().string();
      static_cast<void>(!::write(ends[1], folder.data(), folder.size()));
      ::_exit(0);  // no destructor: killed
    }
    char buffer[4096];
    const auto n = ::read(ends[0], buffer, sizeof(buffer));
    REQUIRE(n > 0);
    dead = std::string(buffer, static_cast<std::size_t>(n));
    ::waitpid(pid, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  // A shared cache: the same on another machine, whose locks may not be seen from here.
  std::string name = dead.parent_path().filename().string();
  name = name.substr(0, name.find('@')) + "@another-machine";
  fs::create_directories(root / "work" / name);
  std::ofstream(root / "work" / (name + ".lock")) << "";
  fs::create_directories(root / "work" / "notes");
  REQUIRE(fs::exists(dead));
  {
    const Cache again(root);
    CHECK_FALSE(fs::exists(dead.parent_path()));
    CHECK_FALSE(fs::exists(dead.parent_path().string() + ".lock"));
    CHECK(fs::exists(mine));
    CHECK(fs::exists(root / "work" / name));
    CHECK(fs::exists(root / "work" / "notes"));
    CHECK(again.make_work_folder().parent_path() != mine.parent_path());
  }
  CHECK(entries(root / "work") == 5);  // this one's, the other machine's, and the notes

  // A container that is gone has taken its host name with it.
  const fs::path lock = root / "work" / (name + ".lock");
  const auto age = [&lock](int hours) {
    fs::last_write_time(lock, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  age(6 * 24);
  static_cast<void>(Cache(root));
  CHECK(fs::exists(root / "work" / name));
  age(8 * 24);
  static_cast<void>(Cache(root));
  CHECK_FALSE(fs::exists(root / "work" / name));
  CHECK_FALSE(fs::exists(lock));
  CHECK(entries(root / "work") == 3);
}

TEST_CASE("who works long says to other machines that it lives") {
  const Scratch scratch;
  conoscope::core::WorkFolders mine(scratch.path("."));
  const fs::path lock = mine.root().string() + ".lock";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(8 * 24);
  fs::last_write_time(lock, long_ago);
  mine.keep_alive();
  CHECK(fs::file_time_type::clock::now() - fs::last_write_time(lock) < std::chrono::hours(1));
  const auto lately = fs::last_write_time(lock) - std::chrono::minutes(10);
  fs::last_write_time(lock, lately);
  mine.keep_alive();
  CHECK(fs::last_write_time(lock) == lately);  // a shared file system is not asked every time
}

TEST_CASE("an artifact of a confined plugin takes the place of one that was not, and stays") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  cache.commit(make_work(cache, "free"), key_of(1));
  CHECK_FALSE(cache.is_confined(key_of(1)));
  const auto confined = make_work(cache, "confined");
  conoscope::core::seal_artifact(confined / "artifact", "landlock 7, seccomp");
  cache.commit(confined, key_of(1), "a log", true);
  CHECK(cache.is_confined(key_of(1)));
  CHECK(content_of(cache, key_of(1)) == "confined");
  CHECK(cache.log_of(key_of(1)) == "a log");
  cache.commit(make_work(cache, "free"), key_of(1));
  CHECK(cache.is_confined(key_of(1)));
  CHECK(content_of(cache, key_of(1)) == "confined");

  // What a plugin writes there itself is nothing.
  const auto work = make_work(cache, "forged");
  fs::copy_file(cache.path_of(key_of(1)) / "confined.txt", work / "artifact" / "confined.txt");
  conoscope::core::seal_artifact(work / "artifact");
  cache.commit(work, key_of(2));
  CHECK_FALSE(cache.is_confined(key_of(2)));
}

TEST_CASE("what made an artifact is found by its identity, of several makings the one used last") {
  const Scratch scratch;
  const auto another = [&](const std::string& identity) {
    return Cache(scratch.path("cache")).another_making(identity);
  };
  const Cache cache(scratch.path("cache"));
  CHECK_FALSE(another("abcd"));
  const auto commit_made = [&cache](const std::string& key, const std::string& by) {
    const auto work = make_work(cache, "x");
    conoscope::core::seal_artifact(work / "artifact", "", by);
    cache.commit(work, key);
  };
  cache.commit(make_work(cache, "x"), "abcd");
  CHECK(another("abcd") == "");
  used_at(cache, "abcd", 1000);
  commit_made("abcd-01", "Nehalem");
  used_at(cache, "abcd-01", 2000);
  commit_made("abcd-02", "Haswell");
  used_at(cache, "abcd-02", 1500);
  commit_made("abcde-02", "of another one");
  CHECK(another("abcd") == "Nehalem");
  CHECK(cache.made_by("abcd-02") == "Haswell");
  CHECK_FALSE(another("ab"));
}

TEST_CASE("what a running process declared in use is not trimmed by others") {
  const Scratch scratch;
  const fs::path root = scratch.path("cache");
  const Cache trimmer(root);
  for (int i = 0; i < 3; ++i) {
    add(trimmer, key_of(i), "x");
    used_at(trimmer, key_of(i), 1000 + i);
  }
  {
    const Cache running(root);
    running.declare_use({key_of(0), key_of(2)});
    CHECK(trimmer.trim(0, 5000) == 1);
    CHECK(trimmer.has(key_of(0)));
    CHECK_FALSE(trimmer.has(key_of(1)));
    CHECK(trimmer.has(key_of(2)));
    CHECK(running.trim(1, 5000) == 1);  // its own it may
    CHECK_FALSE(trimmer.has(key_of(0)));
  }
  CHECK(trimmer.trim(0, 5000) == 1);
}

TEST_CASE("the log of an artifact is given back as it was, or not at all") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  cache.commit(make_work(cache, "one"), key_of(1), "two\nlines\n");
  cache.commit(make_work(cache, "two"), key_of(2));
  CHECK(cache.log_of(key_of(1)) == "two\nlines\n");
  CHECK(cache.log_of(key_of(2)) == "");
  std::ofstream(cache.path_of(key_of(1)) / "log.txt", std::ios::app) << "more";
  CHECK(cache.log_of(key_of(1)) == "");
}

TEST_CASE("a log or a note that cannot be written is said, and no artifact lacks it unnoticed") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  const auto work = make_work(cache, "one"), noted = make_work(cache, "two");
  // No file may grow beyond so many bytes, as if the disk were full.
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{500, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &full) == 0);
  const std::string text(600, 'x');
  std::string said_of_log, said_of_note;
  try {
    cache.commit(work, key_of(1), text);
  } catch (const std::runtime_error& e) {
    said_of_log = e.what();
  }
  try {
    conoscope::core::seal_artifact(noted / "artifact", text);
  } catch (const std::runtime_error& e) {
    said_of_note = e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(said_of_log ==
        (work / "artifact" / "log.txt").string() + ": cannot be written: File too large");
  CHECK(said_of_note ==
        (noted / "artifact" / "confined.txt").string() + ": cannot be written: File too large");
  CHECK_FALSE(cache.has(key_of(1)));
}

TEST_CASE("a cache folder that cannot be is said, with what to do") {
  const Scratch scratch;
  const auto file = scratch.write("file", "");
  CHECK_THROWS_SAYING(Cache(fs::path(file) / "cache"), conoscope::core::CacheError, file,
                      "the cache folder cannot be made", "choose another with --cache");
}

TEST_CASE("a work folder that cannot be made is a fault of the cache, too") {
  const Scratch scratch;
  const Cache cache(scratch.path("cache"));
  fs::remove_all(cache.root() / "work");
  std::ofstream(cache.root() / "work") << "a file";
  CHECK_THROWS_SAYING(cache.make_work_folder(), conoscope::core::CacheError,
                      "no work folder can be made", "choose another cache with --cache");
}

TEST_CASE("a work folder goes away with what its owner may not enter") {
  const Scratch scratch;
  const auto away = [&] {
    fs::path root;
    {
      conoscope::core::WorkFolders folders(scratch.path(""));
      root = folders.root();
      const fs::path shut = folders.next() / "scratch" / "shut";
      fs::create_directories(shut / "inner");
      std::ofstream(shut / "inner" / "file") << "text";
      fs::permissions(shut / "inner", fs::perms::none);
      fs::permissions(shut, fs::perms::none);
    }
    return !fs::exists(root) && entries(scratch.path("")) == 0;
  };
  // Root may enter all folders, so somebody else has to try.
  REQUIRE(::chown(scratch.path("").c_str(), ::getuid() == 0 ? 65534 : ::getuid(), ::getgid()) == 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit((::getuid() != 0 || ::setuid(65534) == 0) && away() ? 0 : 1);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
