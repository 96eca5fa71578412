// SPDX-License-Identifier: Apache-2.0
// conoscope reproduce: the ledgers fit the studies that ship, and verdicts come from scores.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "results/store/store.h"
#include "tests/harness/app/workspace.h"
#include "tests/results/sample.h"
#include "tests/support/bytes_of.h"

using namespace conoscope::testing;
namespace results = conoscope::results;

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
        // Nothing has run.
        const bool is_here = !row["run file"].get<std::string>().starts_with("caltech101") &&
                             !has(row["item"].get<std::string>(), "VGG11");
        CHECK(verdict == (is_here ? "no data" : "not here, its data are missing"));
        CHECK_SAYS(row["command"].get<std::string>(), "conoscope board ");
      }
      CHECK(claims >= 5);
    }
}

TEST_CASE(
    "reproduce: a study without the profile that is asked for is judged in its first, and says "
    "so") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  const Ended ended = here.run({"reproduce", "leakage", "--no-run", "--profile", "authored"});
  CHECK_SAYS(ended.err, "leakage_images has no profile authored: judged in quick");
  CHECK_FALSE(has(ended.err, "leakage_causes has no profile"));
  CHECK_SAYS(ended.out, "leakage_causes-authored");
  CHECK_SAYS(here.run({"reproduce", "leakage", "--no-run", "--profile", "authord"}, 2).err,
             "there is no profile authord");
}

TEST_CASE("reproduce: the command beside a claim shows its study, whatever other runs there are") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  here.run({"run", "sanity", "--no-board", "--only", "seed=0", "--only", "explainer=perfect",
            "--only", "control=none"});
  here.run({"run", here.write("newer.toml", digits_run("metrics = [\"surf_mae\"]", {"svd"})),
            "--no-board"});
  int seen = 0;
  for (const auto& row : here.json({"reproduce", "surf", "--no-run"})) {
    if (row["run file"] != "sanity" || row["command"].is_null()) continue;
    ++seen;
    std::istringstream words(row["command"].get<std::string>());
    std::vector<std::string> command;
    for (std::string word; words >> word;) command.push_back(word);
    command.erase(command.begin());  // conoscope
    const Json board = here.json(command);
    REQUIRE(board.size() > 0);
    CHECK(board[0].contains(command.back()));
    // A ranking of this run, and not the kind of board that is called like it.
    CHECK(std::any_of(board.begin(), board.end(),
                      [](const Json& one) { return one.value("explainer", "") == "perfect"; }));
  }
  CHECK(seen > 5);
}

TEST_CASE("reproduce: --from takes the cells of its studies, and says how many of each") {
  const Workspace there, here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  for (const char* explainer : {"perfect", "random_importance"})
    there.run({"run", "sanity", "--no-board", "--only", std::string("explainer=") + explainer,
               "--only", "control=none"});
  const auto row_of = [](const Json& rows) {
    for (const auto& row : rows)
      if (row["run file"] == "sanity" && has(row["claim"], "ICE-Eval is blind")) return row;
    return Json();
  };
  const Json wanted = row_of(there.json({"reproduce", "surf", "--no-run"}));
  REQUIRE(wanted["verdict"] != "no data");
  const Ended ended =
      here.run({"reproduce", "surf", "--no-run", "--from", there.store(), "--format", "json"});
  CHECK(row_of(Json::parse(ended.out)) == wanted);
  const std::string taken =
      there.query("SELECT count(DISTINCT cell) AS n FROM attempt")[0]["n"].dump();
  CHECK_SAYS(ended.err, " cells: " + taken + " taken from " + there.store() + ", ");
  CHECK_SAYS(ended.err, "parsimony: ");
  CHECK(here.count("attempt") == there.count("attempt"));
  // They are there now.
  CHECK_SAYS(here.run({"reproduce", "surf", "--no-run", "--from", there.store()}).err,
             " cells: " + taken + " were there, ");
}

TEST_CASE("reproduce: what ships is judged without computing anything") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  for (const auto& paper : kPapers) {
    CAPTURE(paper);
    CHECK(here.json({"reproduce", paper, "--no-run", "--store", "published"}).size() > 10);
  }
  CHECK_FALSE(std::filesystem::exists(here.store()));
  CHECK_SAYS(here.run({"reproduce", "irs", "--store", "published"}, 5).err, "with --from");
}

std::string counted(const std::map<std::string, int>& verdicts) {
  std::string out;
  for (const auto& [verdict, count] : verdicts) out += std::to_string(count) + " " + verdict + "; ";
  return out;
}

/// A verdict of the command in the words of the page, without its reason.
std::string in_docs(const std::string& verdict) {
  if (verdict.rfind("not reproduced", 0) == 0) return "not";
  if (verdict.rfind("not decidable", 0) == 0) return "not decidable";
  return verdict.substr(0, verdict.find_first_of(":,"));
}

/// How many claims of an item have which verdict: "2 reproduced: this. 1 not: that. 3 open, size: those".
std::map<std::string, int> verdicts_in(const std::string& text) {
  static const std::regex kCount(
      R"((?:^|\. |; |\) )(?:(\d+) )?(reproduced|not decidable|not(?! judged)|open)\b)");
  std::map<std::string, int> out;
  for (std::sregex_iterator one(text.begin(), text.end(), kCount), end; one != end; ++one)
    out[(*one)[2]] += (*one)[1].matched ? std::stoi((*one)[1]) : 1;
  return out;
}

TEST_CASE(
    "reproduce: docs/reproduction.md lists every item of the ledgers in order, how many claims it "
    "has, and "
    "the verdicts that what ships leads to") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  const std::string page = bytes_of(CONOSCOPE_TEST_DOCS "/reproduction.md");
  struct Item {
    std::string name;
    int claims = 0;
    std::map<std::string, int> verdicts;
  };
  std::size_t at = 0;
  int compared = 0;
  for (const auto& paper : kPapers) {
    std::vector<Item> items;
    for (const auto& row : here.json({"reproduce", paper, "--no-run", "--store", "published"})) {
      const std::string name = row["item"], verdict = row["verdict"];
      if (items.empty() || items.back().name != name) items.push_back({name, 0, {}});
      if (verdict == "see below" || verdict == "not judged") continue;
      ++items.back().claims;
      ++items.back().verdicts[in_docs(verdict)];
    }
    REQUIRE_FALSE(items.empty());
    std::map<std::string, int> all;
    int claims = 0;
    for (const Item& item : items) {
      claims += item.claims;
      const std::string line =
          "| " + in_table(item.name) + " | " + std::to_string(item.claims) + " | ";
      CAPTURE(line);
      at = page.find(line, at);
      REQUIRE(at != page.npos);
      const std::size_t text = page.find(" | ", at + line.size()) + 3;
      at = page.find(" |\n", text);
      const auto written = verdicts_in(page.substr(text, at - text));
      for (const auto& [verdict, count] : written) all[verdict] += count;
      const bool ships = std::ranges::all_of(item.verdicts, [](const auto& found) {
        return found.first != "no data" && found.first != "not here";
      });
      if (item.claims == 0 || !ships) continue;
      ++compared;
      CHECK(counted(written) == counted(item.verdicts));
    }
    std::string sums =
        "`conoscope reproduce " + paper + "`: " + std::to_string(claims) + " claims: ";
    for (const char* verdict : {"reproduced", "not", "open", "not decidable"})
      if (all[verdict] > 0)
        sums += (sums.ends_with(": ") ? "" : ", ") + std::to_string(all[verdict]) + " " + verdict;
    CAPTURE(sums);
    CHECK(page.find(sums) != page.npos);
  }
  CHECK(compared > 10);
}

TEST_CASE("reproduce: docs/results.md gives no verdicts of its own") {
  CHECK_FALSE(has(bytes_of(CONOSCOPE_TEST_DOCS "/results.md"), "reproduced"));
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
      // Nothing is drawn of this archive: one sample, whatever its number.
      CHECK(row["verdict"] == "open: no number of seeds decides");
    } else if (claim.rfind("ICE does not improve", 0) == 0) {
      ++judged;
      CHECK(row["verdict"] != "no data");
      CHECK_SAYS(row["ours"].get<std::string>(), "ice(k=1) ");
    }
  }
  CHECK(judged == 2);
  CHECK_SAYS(here.run({"reproduce", "surv"}, 2).err, "no paper surv (did you mean surf?)");
}

TEST_CASE("reproduce: a correlation over some of the planned subjects and seeds is no verdict") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build has no libtorch, and with it not all models");
  here.run({"run", "leakage_vs_intervention", "--no-board", "--only", "seed=0", "--only",
            "dataset=toy, delta 0.25", "--only", "model=cbm(concept_weight=0.01)"});
  const Json cells = here.query(
      "SELECT cell.key, model, seed FROM cell JOIN component ON component.key = cell.dataset "
      "ORDER BY model, seed, component.name DESC");  // the last one of delta 0.25
  REQUIRE(cells.size() == 120);                      // two datasets, twelve models, five seeds
  const std::string run = here.query("SELECT key FROM run")[0]["key"];
  auto store = results::Store::open(here.store(), results::Mode::kReadWrite);
  store.add_environment(sample::kHere);
  // Numbers that correlate, from model to model, and are later than those of the run.
  constexpr int kLater = 300'000'000;
  const auto score = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::string cell = cells[i]["key"];
      const double value = static_cast<double>(i / 10) + cells[i]["seed"].get<double>() / 100;
      store.record(
          sample::attempt(cell, cell, kLater, results::Status::ok, run),
          std::vector{results::score_row("ctl", value), results::score_row("s_int", value)});
    }
  };
  const auto verdicts = [&] {
    std::vector<std::string> out;
    for (const auto& row : here.json({"reproduce", "leakage", "--no-run", "--profile", "quick"}))
      if (row["run file"] == "leakage_vs_intervention" && has(row["claim"], "CTL predicts"))
        out.push_back(row["verdict"]);
    return out;
  };
  score(0, 50);  // five models
  CHECK(verdicts() == std::vector<std::string>{"no data"});
  score(50, 119);
  CHECK(verdicts() == std::vector<std::string>{"no data"});
  score(119, 120);
  CHECK(verdicts() == std::vector<std::string>{"reproduced, r larger"});
}
