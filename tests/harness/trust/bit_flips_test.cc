// SPDX-License-Identifier: Apache-2.0
// A bit of a cached artifact that flips on the disk changes no score: the artifact is made again, and
// the user is told.

#include <fstream>
#include <random>

#include "tests/harness/trust/trials.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

/// Files that scores are computed from, and what is written there of their plugin; a log is neither.
std::vector<fs::path> files_of(const std::string& cache) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(cache + "/artifacts"))
    if (entry.is_regular_file() && entry.path().filename() != "log.txt") out.push_back(entry);
  std::ranges::sort(out);
  return out;
}

void flip(const fs::path& file, std::uint64_t bit) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(static_cast<std::streamoff>(bit / 8));
  const auto byte = static_cast<char>(bytes.get() ^ (1 << bit % 8));
  bytes.seekp(static_cast<std::streamoff>(bit / 8));
  bytes.put(byte);
}

}  // namespace

TEST_CASE("flipped bits in artifacts: no wrong score, and what is damaged is made again") {
  const Workspace here;
  const auto file = here.write("run.toml", small_run());
  here.run({"run", file, "--no-board"});
  const std::string wanted = here.exported();
  std::mt19937_64 random(20260302);
  int again = 0;
  const int count = trials(12);
  for (int i = 0; i < count; ++i) {
    const auto files = files_of(here.cache());
    const auto& victim = files[random() % files.size()];
    const std::uint64_t bit = random() % (8 * fs::file_size(victim));
    CAPTURE(i);
    CAPTURE(victim.string());
    CAPTURE(bit);
    // Artifacts with equal arrays share a file.
    const auto damaged = static_cast<std::size_t>(std::ranges::count_if(
        files, [&](const fs::path& other) { return fs::equivalent(other, victim); }));
    flip(victim, bit);
    // A store of its own: every cell is scored anew from what is in the cache.
    const auto store = here.path("again.db");
    const Ended ended = here.run({"run", file, "--no-board", "--store", store});
    CHECK(here.exported(store) == wanted);
    if (has(ended.err, "it is made again")) {
      ++again;
      CHECK_SAYS(ended.err, victim.parent_path().filename().string());
      const Json events = here.json({"query",
                                     "SELECT text FROM event WHERE kind IN ('damaged_artifact', "
                                     "'unconfined_artifact')",
                                     "--store", store});
      CHECK(events.size() == damaged);
    }
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(store + ending);
  }
  MESSAGE(count, " flipped bits, ", again, " runs that made what is damaged again");
  CHECK(again == count);  // every artifact of this run is used
}

TEST_CASE("an artifact that is damaged again and again is a failure, not an endless run") {
  const Workspace here;
  const auto file = here.write("run.toml", small_run());
  here.run({"run", file, "--no-board"});
  // Gone between the look at the cache and the use: made again, without a failure.
  for (const auto& artifact : files_of(here.cache()))
    if (artifact.filename() == "texts.tsv") std::ofstream(artifact) << "damaged";
  const Ended ended =
      here.run({"run", file, "--no-board", "-j", "2", "--store", here.path("again.db")});
  CHECK_SAYS(ended.err, "4 ok");
  CHECK(here.exported(here.path("again.db")) == here.exported());
}
