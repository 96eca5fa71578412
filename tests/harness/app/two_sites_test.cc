// SPDX-License-Identifier: Apache-2.0
// Two sites, their stores merged: every score under its own version, and where it comes from is said.

#include <map>
#include <set>

#include "tests/harness/app/moody_site.h"

using namespace conoscope::testing;

namespace {

std::string moody() { return bytes_of(std::filesystem::path(CONOSCOPE_TEST_PLUGINS) / "moody.so"); }

/// The stores of two sites, in one of a third.
struct Merged {
  Merged(const MoodySite& a, const MoodySite& b) {
    for (const auto* site : {&a, &b}) {
      here.run({"merge", site->here.store()});
      alone.push_back(site->here.json({"board", "--metric", "surf_mae"})[0]["surf_mae"]);
    }
  }
  Json attempts() const {
    const Json keys = here.query("SELECT DISTINCT cell FROM attempt ORDER BY cell");
    Json out = Json::array();
    for (const auto& key : keys) {
      const Json shown = here.json({"show", key["cell"]});
      for (const auto& attempt : shown["attempts"]) out.push_back(attempt);
    }
    return out;
  }

  Workspace here;
  std::vector<double> alone;  ///< what each site's own board says
};

}  // namespace

TEST_CASE("two sites: different versions are different entries of the board") {
  const MoodySite a, b;
  b.install(with_version(bytes_of(CONOSCOPE_TEST_OTHER_MOODY), "1.0.1"));
  a.run();
  b.run();
  const Merged merged(a, b);
  REQUIRE(merged.alone[0] != merged.alone[1]);
  std::map<std::string, double> board;
  for (const auto& row : merged.here.json({"board", "--all", "--metric", "surf_mae"}))
    board[row["explainer"]] = row["surf_mae"];
  CHECK(board == std::map<std::string, double>{{"moody@1.0.0", merged.alone[0]},
                                               {"moody@1.0.1", merged.alone[1]}});
  std::map<std::string, double> history;
  for (const auto& row : merged.here.json({"history", "surf_mae", "--component", "moody"}))
    history[row["version"]] = row["value"];
  CHECK(history ==
        std::map<std::string, double>{{"1.0.0", merged.alone[0]}, {"1.0.1", merged.alone[1]}});
  // Each of them can be verified where its plugin is, and only there.
  const Ended verified =
      merged.here.run(a.here_found({"verify", merged.here.store(), "--format", "json"}), 4);
  CHECK_SAYS(verified.err, "2 cells: 1 the same bit for bit, 1 not run again");
}

TEST_CASE("two sites: the same version from different files is one entry, with both told apart") {
  const MoodySite a, b;
  b.install(with_other_hash(moody()));
  a.run();
  b.run();
  const Merged merged(a, b);
  const Json board = merged.here.json({"board", "--all", "--metric", "surf_mae"});
  REQUIRE(board.size() == 1);
  CHECK(board[0]["explainer"] == "moody");
  CHECK(board[0]["surf_mae"] == merged.alone[0]);
  CHECK(board[0]["surf_mae"] == merged.alone[1]);

  const Json attempts = merged.attempts();
  REQUIRE(attempts.size() == 2);
  std::set<std::string> binaries;
  for (const auto& attempt : attempts) {
    binaries.insert(attempt["binaries"].get<std::string>());
    CHECK_SAYS(attempt["binaries"], "; moody 1.0.0 ");
    for (const char* line : {"cpu: ", "libc: ", "openblas: ", "conoscope: ", "compiler: "})
      CHECK_SAYS(attempt["environment"], line);
  }
  CHECK(binaries.size() == 2);
  const Json plugins = merged.here.query(
      "SELECT DISTINCT version, sha256 FROM plugin WHERE id = 'moody' ORDER BY sha256");
  CHECK(plugins.size() == 2);
  const Json history = merged.here.json({"history", "surf_mae", "--component", "moody"});
  REQUIRE(history.size() == 2);
  CHECK(history[0]["attempt"] != history[1]["attempt"]);
}

TEST_CASE("two sites: the same version that scores otherwise is found before it is taken") {
  const MoodySite a, b;
  b.install(bytes_of(CONOSCOPE_TEST_OTHER_MOODY));
  a.run();
  b.run();
  const Ended refused =
      a.here.run(a.here_found({"merge", b.here.store(), "--verify", "1", "--format", "json"}), 6);
  CHECK_SAYS(refused.err, "nothing was taken");
  const Json found = Json::parse(refused.out);
  CHECK(found["cells"][0]["verdict"] == "differs");
  CHECK(found["environments"][0]["what"] == "plugin moody");
  CHECK(a.here.count("attempt") == 1);
}
