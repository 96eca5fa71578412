// SPDX-License-Identifier: Apache-2.0
// Two supervisors that cannot see each other's processes, as in two containers, share one cache.

#include "tests/harness/trust/trials.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

const std::string kUnshare = "/usr/bin/unshare";

/// The command as the first process of a PID namespace of its own: both supervisors, and the workers
/// of both, have the same process ids and the same host name.
Process start_contained(const Workspace& here, std::vector<std::string> arguments,
                        const std::string& store) {
  std::vector<std::string> words = {kUnshare,       "--pid",        "--fork",
                                    "--kill-child", "--mount-proc", built_conoscope().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return Command(words)
      .set("HOME", here.path("home"))
      .set("CONOSCOPE_CACHE", here.cache())
      .set("CONOSCOPE_STORE", store)
      .start();
}

}  // namespace

TEST_CASE("two containers, one cache: no wrong score") {
  if (!fs::exists(kUnshare) ||
      Command({kUnshare, "--pid", "--fork", "--mount-proc", "/bin/true"}).run().code != 0)
    SKIP_TEST("this machine makes no PID namespaces");
  const Workspace reference;
  const std::string head = "seeds = [0, 1]\nmetrics = [\"surf_mae\", \"surf_top1\"]";
  // Different work, so that an artifact of the one in the place of the other's is a wrong score.
  const auto one = reference.write("one.toml", digits_run(head, {"perfect", "svd", "nmf"}));
  const auto two = reference.write("two.toml", digits_run(head, {"kmeans", "svd", "perfect"}));
  reference.run({"run", one, "--no-board", "--store", reference.path("one.db")});
  reference.run({"run", two, "--no-board", "--store", reference.path("two.db")});
  const int count = trials(4);
  for (int i = 0; i < count; ++i) {
    CAPTURE(i);
    const Workspace here;
    Process first = start_contained(here, {"run", one, "--no-board"}, here.path("one.db"));
    Process second = start_contained(here, {"run", two, "--no-board"}, here.path("two.db"));
    const Ended ended_first = first.wait(240), ended_second = second.wait(240);
    CHECK_MESSAGE(ended_first.code == 0, ended_first.err);
    CHECK_MESSAGE(ended_second.code == 0, ended_second.err);
    CHECK(here.exported(here.path("one.db")) == reference.exported(reference.path("one.db")));
    CHECK(here.exported(here.path("two.db")) == reference.exported(reference.path("two.db")));
    CHECK(fs::is_empty(here.cache() + "/work"));
  }
}
