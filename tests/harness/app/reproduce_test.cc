// conoscope reproduce: the ledgers fit the studies that ship, and verdicts come from scores.

#include <fstream>
#include <iterator>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

const std::vector<std::string> kPapers = {"surf", "leakage", "purity", "irs"};

/// As it stands in a table of the docs.
std::string in_table(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

}  // namespace

TEST_CASE("reproduce: every claim is about one subject of its study, in every profile") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  for (const auto& paper : kPapers)
    for (const char* profile : {"quick", "paper"}) {
      CAPTURE(paper);
      CAPTURE(profile);
      const Json rows = here.json({"reproduce", paper, "--no-run", "--profile", profile});
      REQUIRE(rows.size() > 10);
      int claims = 0;
      for (const auto& row : rows) {
        const std::string verdict = row["verdict"];
        CAPTURE(row["item"].get<std::string>());
        if (verdict == "not judged" || verdict == "see below") continue;
        ++claims;
        CHECK(verdict == "no data");  // nothing has run
        CHECK_SAYS(row["command"].get<std::string>(), "conoscope board ");
      }
      CHECK(claims >= 5);
    }
}

TEST_CASE("reproduce: docs/reproduction.md lists every item and claim of the ledgers, in order") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  std::ifstream in(CONOSCOPE_TEST_DOCS "/reproduction.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  std::size_t at = 0;
  for (const auto& paper : kPapers)
    for (const auto& row : here.json({"reproduce", paper, "--no-run"})) {
      std::string line = "| " + in_table(row["item"]) + " | " + in_table(row["claim"]) + " |";
      CAPTURE(line);
      const auto found = page.find(line, at);
      REQUIRE(found != page.npos);
      at = found + 1;
    }
}

TEST_CASE("reproduce: a verdict is the rule's, of the scores in the store") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  here.run({"run", "parsimony", "--no-board", "--only", "explainer=cdisco(k=25)", "--only",
            "explainer=ice(k=1)", "--only", "explainer=ice(k=25)"});
  int judged = 0;
  for (const auto& row : here.json({"reproduce", "surf", "--no-run"})) {
    if (row["run file"] != "parsimony") continue;
    const std::string claim = row["claim"];
    if (claim.rfind("CDISCO does not improve", 0) == 0) {
      ++judged;
      const double mean =
          here.json({"board", "-m", "surf_emd", "--explainer", "cdisco(k=25)"})[0]["surf_emd"];
      CHECK_SAYS(row["ours"].get<std::string>(), std::to_string(mean).substr(0, 4));
      CHECK(row["verdict"] == (mean > 0.7 ? "reproduced" : "not reproduced"));
    } else if (claim.rfind("ICE gets worse", 0) == 0) {
      ++judged;
      CHECK(row["verdict"] != "no data");
      CHECK_SAYS(row["ours"].get<std::string>(), "ice(k=1) ");
    }
  }
  CHECK(judged == 2);
  CHECK_SAYS(here.run({"reproduce", "surv"}, 2).err, "no paper surv (did you mean surf?)");
}
