// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/hashed_files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/support/scratch.h"

using conoscope::core::HashedFiles;
using conoscope::testing::Scratch;

namespace {

/// Until the times of what was just written tell, two seconds.
void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(2100)); }

}  // namespace

TEST_CASE("a large file is hashed once, by whoever comes first, until it is another") {
  const Scratch scratch;
  const auto large = scratch.path("large"), small = scratch.path("small");
  std::ofstream(large) << std::string(std::size_t{2} << 20, 'x');
  std::ofstream(small) << "x";
  int hashed = 0;
  const auto hash = [&hashed] {
    ++hashed;
    return std::string("a hash");
  };
  const auto holds = [&](const std::string& file, const char* sha256) {
    return HashedFiles(scratch.path("list")).holds(file, sha256, hash);
  };
  CHECK(holds(large, "a hash"));
  CHECK(holds(large, "a hash"));
  CHECK(hashed == 2);  // it had just been written: its times cannot tell yet
  wait();
  for (int i = 0; i < 3; ++i) CHECK(holds(large, "a hash"));
  CHECK(hashed == 3);
  CHECK_FALSE(holds(large, "another"));
  CHECK(hashed == 4);
  for (int i = 0; i < 3; ++i) CHECK(holds(small, "a hash"));
  CHECK(hashed == 7);
  CHECK(HashedFiles().holds(large, "a hash", hash));
  CHECK(hashed == 8);

  CHECK(holds(scratch.path("gone"), "a hash"));  // taken away once it was mapped
  CHECK(hashed == 9);

  // A byte is changed, and the times of writing are put back.
  struct stat info {};
  REQUIRE(::stat(large.c_str(), &info) == 0);
  std::fstream(large) << "y";
  const timespec times[2] = {info.st_atim, info.st_mtim};
  REQUIRE(::utimensat(AT_FDCWD, large.c_str(), times, 0) == 0);
  CHECK(holds(large, "a hash"));
  CHECK(hashed == 10);
}
