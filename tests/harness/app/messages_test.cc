// SPDX-License-Identifier: Apache-2.0
// What a metric says about its scores, and what a plugin says while it works, reach the user.

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

TEST_CASE("the words of a score are on the board, in show, status, history and export") {
  const Workspace here;
  // Digits have neither a concept view nor codes.
  here.run_text(digits_run("metrics = [\"surf_mae\", \"ctl\", \"mig\"]", {"svd"}));
  const Json scores = here.query(
      "SELECT metric, reason, message FROM score WHERE reason IS NOT NULL ORDER BY metric");
  REQUIRE(scores.size() == 2);
  for (const auto& score : scores) {
    CHECK(score["reason"] == "not_applicable");
    CHECK_SAYS(score["message"].get<std::string>(), "needs annotated ");
  }
  const std::string message = scores[0]["message"];

  const Json board = here.json({"board", "-m", "surf_mae", "-m", "ctl"});
  CHECK(board[0]["surf_mae_message"].is_null());
  CHECK(board[0]["ctl"].is_null());
  CHECK(board[0]["ctl_message"] == message);
  CHECK_SAYS(here.run({"board", "-m", "surf_mae", "-m", "ctl"}).out, "\n¹ " + message + "\n");
  CHECK_SAYS(here.run({"board", "-m", "ctl", "--format", "md"}).out, "-<sup>1</sup>");
  CHECK_SAYS(here.run({"board", "-m", "ctl", "--format", "latex"}).out, "-$^{1}$");

  const std::string cell = here.query("SELECT key FROM cell")[0]["key"];
  const Json shown = here.json({"show", cell});
  for (const auto& row : shown["scores"])
    if (row["metric"] == "ctl") CHECK(row["message"] == message);
  CHECK_SAYS(here.run({"show", cell}).out, message);
  CHECK(here.json({"history", "ctl"})[0]["message"] == message);
  for (const auto& row : here.json({"export"}))
    CHECK(row["message"].is_null() == (row["metric"] == "surf_mae"));
  const Json said = here.json({"status"})["messages"];
  REQUIRE(said.size() > 0);
  CHECK(said[0]["reason"] == "not_applicable");
  CHECK_SAYS(here.run({"status"}).out, message);
}

TEST_CASE("a caveat beside a number is marked") {
  const Workspace here;
  std::string codes = "z0,z1\n", factors = "f0,f1,same\n";
  for (int i = 0; i < 400; ++i) {
    const int a = i % 3, b = i / 3 % 4;
    codes += std::to_string(a + 0.01 * (i % 7)) + "," + std::to_string(b + 0.01 * (i % 5)) + "\n";
    factors += std::to_string(a) + "," + std::to_string(b) + ",1\n";
  }
  here.write("codes.csv", codes);
  here.write("factors.csv", factors);
  const auto file = here.write("run.toml", R"(metrics = ["mig"]
[[dataset]]
id = "precomputed_codes"
params = { codes = "codes.csv", factors = "factors.csv" }
[[model]]
id = "precomputed_codes"
)");
  CHECK_SAYS(here.run({"run", file}).out, "¹ 1 factor left out: a single value\n");
  const Json row = here.json({"board"})[0];
  CHECK(row["mig"].is_number());
  CHECK(row["mig_message"] == "1 factor left out: a single value");
  const Json exported = here.json({"export"});
  REQUIRE(exported.size() == 1);
  CHECK(exported[0]["message"] == "1 factor left out: a single value");
  CHECK(here.json({"status"})["messages"][0]["reason"].is_null());
}

TEST_CASE("what a plugin logged belongs to every cell that uses its work, also later") {
  const Workspace here;
  std::string table = "x,a,b,target\n";
  for (int i = 0; i < 120; ++i)
    table += (i == 7 ? std::string("NA") : std::to_string(i % 11)) + "," + std::to_string(i % 2) +
             "," + std::to_string(i / 2 % 2) + "," + (i % 3 == 0 ? "yes" : "no") + "\n";
  here.write("table.csv", table);
  const auto run_file = [&](const std::string& step) {
    return here.write(step + ".toml", R"(metrics = ["ois"]
[[dataset]]
id = "table"
params = { table = "table.csv", target = ["target"], concepts = ["a", "b"], missing = "drop_rows" }
[[model]]
id = "ladder_concepts"
params = { step = ")" + step + "\" }\n");
  };
  const auto log_of = [&](const std::string& step) -> std::string {
    here.run({"run", run_file(step), "--no-board"});
    const Json cells = here.query("SELECT cell FROM attempt ORDER BY started_at DESC, rowid DESC");
    const Json attempt = here.json({"show", cells[0]["cell"]})["attempts"][0];
    CHECK(attempt["status"] == "ok");
    return attempt["log_tail"];
  };
  const std::string said =
      "dataset: left out 1 of 120 rows, in which a value is missing\n"
      "score: 24 rows are judged, 95 trained on\n";
  CHECK(log_of("perfect") == said);
  CHECK(log_of("half") == said);  // the dataset comes out of the cache
  const std::string cell = here.query("SELECT cell FROM attempt")[0]["cell"];
  CHECK_SAYS(here.run({"show", cell}).out, "dataset: left out 1 of 120 rows");
}
