// SPDX-License-Identifier: Apache-2.0
// retract: an attempt stops counting everywhere, and its cell is done again.

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

struct Fixture {
  Fixture() {
    file = here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"perfect", "svd"}));
    here.run({"run", file, "--no-board"});
    const Json rows = here.query(
        "SELECT cell.key AS cell, attempt.id AS attempt FROM cell "
        "JOIN attempt ON attempt.cell = cell.key "
        "JOIN component ON component.key = cell.explainer AND component.plugin_id = 'svd'");
    cell = rows[0]["cell"];
    attempt = rows[0]["attempt"];
  }

  /// The board's row of svd.
  Json svd() const {
    for (const auto& row : here.json({"board"}))
      if (row["explainer"] == "svd") return row;
    return {};
  }
  std::string retract(const std::string& key, const std::string& reason = "wrong labels") const {
    return here.run({"retract", key, "--reason", reason}).err;
  }
  std::string refused(const std::vector<std::string>& words) const {
    std::vector<std::string> all = {"retract"};
    all.insert(all.end(), words.begin(), words.end());
    return here.run(all, 2).err;
  }

  Workspace here;
  std::string file, cell, attempt;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "retract: a cell no longer counts, says why, and is done again") {
  const double before = svd()["surf_mae"];
  const std::string said = retract(cell.substr(0, 10));
  CHECK_SAYS(said, "retracted: attempt " + attempt);
  CHECK_SAYS(said, "(ok) at digits x precomputed x svd, seed 0");
  CHECK_SAYS(said,
             "cell " + cell.substr(0, 12) + ": no attempt counts now, the next run does it again");
  CHECK(svd()["coverage_n"] == 0);
  CHECK(svd()["surf_mae"].is_null());
  CHECK(here.json({"status"})["runs"][0]["not_tried"] == 1);
  Json attempts = here.json({"show", cell})["attempts"];
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0]["retracted"] == "wrong labels");
  CHECK(here.json({"show", cell})["scores"].empty());
  CHECK(here.json({"history", "surf_mae", "--component", "svd"})[0]["retracted"] == 1);
  CHECK_SAYS(here.run({"plan", file}).out, "2 cells: 1 done, 1 to do");

  const Ended again = here.run({"run", file, "--no-board"});
  CHECK_SAYS(again.err, "2 cells, 1 done, 1 to do now");
  CHECK(svd()["surf_mae"] == before);
  attempts = here.json({"show", cell})["attempts"];
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0]["retracted"].is_null());
  CHECK(attempts[1]["retracted"] == "wrong labels");
}

TEST_CASE_FIXTURE(Fixture, "retract: one attempt, and the one before it counts again") {
  here.run({"retract", cell, "--reason", "first"});
  here.run({"run", file, "--no-board"});
  const std::string second =
      here.query("SELECT id FROM valid_attempt WHERE cell = '" + cell + "'")[0]["id"];
  CHECK(second != attempt);
  CHECK_SAYS(refused({attempt, "--reason", "once more"}), "is retracted already: first");
  const std::string said = retract(second);
  CHECK_SAYS(said, "no attempt counts now");
  CHECK_SAYS(refused({cell, "--reason", "again"}), "no attempt counts at cell " + cell);
}

TEST_CASE_FIXTURE(Fixture, "retract: what is wrong on the command line changes nothing") {
  CHECK_SAYS(refused({}), "which cell or attempt?");
  CHECK_SAYS(refused({cell}), "--reason TEXT is missing");
  CHECK_SAYS(refused({cell, "--reason", " "}), "--reason TEXT is missing");
  std::string wrong = cell.substr(0, 12);
  wrong[5] = wrong[5] == '0' ? '1' : '0';
  CHECK_SAYS(refused({wrong, "--reason", "x"}), "no cell or attempt begins with " + wrong +
                                                    " (did you mean " + cell.substr(0, 12) +
                                                    ", of digits x precomputed x svd, seed 0?)");
  CHECK_SAYS(refused({"zzzzzzzzzzzz", "--reason", "x"}), "`conoscope plan --cells` lists cells");
  CHECK(here.count("retraction") == 0);
}

TEST_CASE("retract: makes no store") {
  const Workspace here;
  CHECK_SAYS(here.run({"retract", "ab", "--reason", "x"}, 5).err, "no such file");
  CHECK_FALSE(std::filesystem::exists(here.store()));
}
