// SPDX-License-Identifier: Apache-2.0
// Files that are replaced while a run is going on: no score of the new one under the old one's hash.

#include <fstream>
#include <thread>

#include "tests/harness/trust/trials.h"
#include "tests/support/bytes_of.h"
#include "tests/support/npy_bytes.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

void wait_for(const std::string& file, Process& run) {
  while (!fs::exists(file)) {
    REQUIRE(run.running());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// Another file under the same name, of the same size and time.
void replace(const fs::path& file, const std::string& bytes) {
  const auto time = fs::last_write_time(file);
  std::ofstream(file.string() + "~", std::ios::binary) << bytes;
  fs::rename(file.string() + "~", file);
  fs::last_write_time(file, time);
}

std::string activations(float last) {
  return npy_bytes<float>("<f4", "(4, 3)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, last});
}

/// Seed 0's explanation waits for the marker; seed 1's work comes after it.
struct World {
  World() {
    here.write("a.npy", activations(3));
    here.write("w.npy", npy_bytes<float>("<f4", "(2, 3)", {1, -1, 0.5f, 0.25f, 2, -2}));
    here.write("b.npy", npy_bytes<float>("<f4", "(2,)", {0, 1}));
    fs::copy_file(fs::path(CONOSCOPE_TEST_PLUGINS) / "moody.so", here.path("moody.so"));
    file =
        here.write("run.toml",
                   "seeds = [0, 1]\nmetrics = [\"surf_mae\"]\n[[dataset]]\nid = \"precomputed\"\n"
                   "params = { activations = \"a.npy\", head_weight = \"w.npy\", head_bias = "
                   "\"b.npy\" }\n[[model]]\nid = \"precomputed\"\n[[explainer]]\nfile = "
                   "\"moody.so\"\nparams = { mood = \"patient\", marker = \"" +
                       here.path("marker") + "\" }\n");
  }
  Process start() const {
    return here.conoscope({"run", file, "--no-board", "--confine=off"}).start();
  }

  Workspace here;
  std::string file;
};

}  // namespace

TEST_CASE("a data file that is replaced in the middle of a run") {
  const World world;
  const Workspace& here = world.here;
  Process run = world.start();
  wait_for(here.path("marker-begun"), run);
  replace(here.path("a.npy"), activations(30));
  here.write("marker", "");
  const Ended ended = run.wait(60);
  CHECK(ended.code == 4);
  CHECK_SAYS(ended.err, "1 ok");
  CHECK_SAYS(ended.err, here.path("a.npy") + ": was replaced after it was hashed");
  const Json failed = here.query("SELECT status, stage FROM attempt WHERE status <> 'ok'");
  REQUIRE(failed.size() == 1);
  CHECK(failed[0]["status"] == "failed");

  // The new file is another dataset, and nothing of it is done.
  CHECK_SAYS(here.run({"run", world.file, "--no-board", "--confine=off"}).err,
             "0 done, 2 to do now");
  CHECK(here.query("SELECT count(DISTINCT dataset) AS n FROM cell")[0]["n"] == 2);
}

TEST_CASE("a plugin that is replaced in the middle of a run") {
  const World world;
  const Workspace& here = world.here;
  Process run = world.start();
  wait_for(here.path("marker-begun"), run);
  // Other bytes behind the end, which nobody executes: the same plugin to look at, another hash.
  replace(here.path("moody.so"), bytes_of(here.path("moody.so")) + "other");
  here.write("marker", "");
  const Ended ended = run.wait(60);
  CHECK(ended.code == 4);
  // Seed 0's was replaced while it was used, seed 1's before.
  CHECK_SAYS(ended.err, here.path("moody.so") + ": was changed or replaced while it was used");
  CHECK_SAYS(ended.err, here.path("moody.so") + ": was replaced after it was hashed");
  CHECK(here.query("SELECT count(*) AS n FROM attempt WHERE status = 'ok'")[0]["n"] == 0);
  CHECK_SAYS(here.run({"run", world.file, "--no-board", "--confine=off"}).err, "2 ok");
}

TEST_CASE("a plugin that is replaced while measure fits it") {
  const World world;
  const Workspace& here = world.here;
  Process run =
      here.conoscope({"measure", "surf_mae", "--activations", here.path("a.npy"), "--head-weight",
                      here.path("w.npy"), "--head-bias", here.path("b.npy"), "--explain",
                      here.path("moody.so") + "(mood=patient,marker=" + here.path("marker") + ")",
                      "--name", "own", "--confine=off"})
          .start();
  wait_for(here.path("marker-begun"), run);
  replace(here.path("moody.so"), bytes_of(here.path("moody.so")) + "other");
  here.write("marker", "");
  const Ended ended = run.wait(60);
  CHECK(ended.code == 4);
  CHECK_SAYS(ended.err + ended.out,
             here.path("moody.so") + ": was changed or replaced while it was used");
}

TEST_CASE("a file that is copied over itself is still the same") {
  const World world;
  const Workspace& here = world.here;
  Process run = world.start();
  wait_for(here.path("marker-begun"), run);
  replace(here.path("a.npy"), activations(3));
  here.write("marker", "");
  const Ended ended = run.wait(60);
  CHECK_MESSAGE(ended.code == 0, ended.err);
}
