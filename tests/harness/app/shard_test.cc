// SPDX-License-Identifier: Apache-2.0
// Neither -j nor sharding nor the order of a merge changes a byte.

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

TEST_CASE("jobs, shards and merge orders give the same export") {
  const Workspace here;
  const auto file = here.write("run.toml", whole_run());
  here.run({"run", file, "--no-board", "-j", "1"});
  const std::string wanted = here.exported();
  REQUIRE(has(wanted, "surf_mae"));

  SUBCASE("two workers, another cache") {
    const auto store = here.path("j2.db");
    here.run({"run", file, "--no-board", "-j", "2", "--store", store, "--cache", here.path("c2")});
    CHECK(here.exported(store) == wanted);
  }
  SUBCASE("two workers, which the seconds of earlier cells give another order") {
    const auto store = here.path("recorded.db");
    here.run({"run", file, "--no-board", "-j", "1", "--only", "explainer=svd", "--store", store});
    here.run({"run", file, "--no-board", "-j", "2", "--store", store, "--cache", here.path("c4")});
    CHECK(here.exported(store) == wanted);
  }
  for (const int shards : {1, 3, 7}) {
    if (kSanitized && shards != 3) continue;
    SUBCASE((std::to_string(shards) + " shards").c_str()) {
      std::vector<std::string> parts;
      for (int i = 1; i <= shards; ++i) {
        parts.push_back(here.path("part" + std::to_string(i) + ".db"));
        // Artifacts are shared through the cache with the unsharded run for 7, made anew for 3.
        here.run({"run", file, "--no-board", "--shard",
                  std::to_string(i) + "/" + std::to_string(shards), "--store", parts.back(),
                  "--cache", shards == 3 ? here.path("c3") : here.cache()});
      }
      const auto forwards = here.path("forwards.db"), backwards = here.path("backwards.db");
      const auto merge = [&](const std::string& into, std::vector<std::string> from) {
        from.insert(from.begin(), "merge");
        from.insert(from.end(), {"--store", into});
        return here.run(from).err;
      };
      merge(forwards, parts);
      std::vector<std::string> reversed(parts.rbegin(), parts.rend());
      for (const auto& part : reversed) merge(backwards, {part});
      CHECK(here.exported(forwards) == wanted);
      CHECK(here.exported(backwards) == wanted);
      const std::string again = merge(forwards, reversed);
      for (const auto& part : parts) CHECK_SAYS(again, part + ": 0 new attempts, 0 new rows");
      CHECK(here.exported(forwards) == wanted);
      // Every cell was in exactly one shard.
      CHECK(here.json({"query", "SELECT count(*) AS n FROM attempt", "--store",
                       forwards})[0]["n"] == kWholeRunCells);
      // A merged store is a store: nothing is left to do.
      CHECK_SAYS(here.run({"run", file, "--no-board", "--store", forwards}).err, ", 0 to do now");
    }
  }
}

TEST_CASE("a shard that is none is refused") {
  const Workspace here;
  const auto file = here.write("run.toml", whole_run());
  for (const char* shard : {"0/2", "3/2", "1", "1/0", "x/2", "1/2/3", "-1/2", "1/2x"}) {
    CAPTURE(shard);
    CHECK_SAYS(here.run({"run", file, "--shard", shard}, 2).err, "expected i/N");
  }
}
