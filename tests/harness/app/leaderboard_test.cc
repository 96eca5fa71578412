// SPDX-License-Identifier: Apache-2.0
// The board of real activations: the perfect explanation comes first, at the error of rounding, and
// the randomised ones in the order of their randomness.

#include <cmath>
#include <map>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

constexpr char kHead[] =
    "seeds = [0, 1, 2]\n"
    "controls = [\"none\", \"random_importance\", \"random_concepts\"]\n"
    "metrics = [\"surf\"]";

// Sums of 64 products of numbers around 1 round to about 1e-15; a wrong formula is off by 1e-3.
constexpr double kRounding = 1e-12;

}  // namespace

TEST_CASE("perfect explanations are first and randomised ones behind them, in order") {
  const Workspace here;
  const auto file = here.write(
      "run.toml", digits_run(kHead, {"random_concepts", "svd", "random_importance", "perfect"}));
  here.run({"run", file, "--no-board", "-j", "2"});
  const auto board = [&](const std::string& metric) {
    std::map<std::string, Json> rows;
    for (const auto& row : here.json({"board", "-m", metric})) rows[row["explainer"]] = row;
    return rows;
  };
  for (const std::string metric : {"surf_mae", "surf_emd"}) {
    CAPTURE(metric);
    auto rows = board(metric);
    REQUIRE(rows.size() == 4);
    CHECK(rows["perfect"]["rank"] == 1);
    CHECK(rows["perfect"][metric].get<double>() < kRounding);
    CHECK(rows["random_importance"][metric].get<double>() > 1e-3);
    CHECK(rows["random_importance"][metric].get<double>() <
          rows["random_concepts"][metric].get<double>());
    for (const auto& [name, row] : rows) {
      CHECK(row["coverage_n"] == 3);
      CHECK(row["coverage_asked"] == 3);
      CHECK(row[metric + "_n"] == 3);
    }
    // The controls stand beside, and say of the perfect explanation what its randomised twins say.
    const auto& perfect = rows["perfect"];
    const double importance = perfect[metric + "@random_importance"];
    const double concepts = perfect[metric + "@random_concepts"];
    CHECK(perfect[metric].get<double>() < importance);
    CHECK(importance < concepts);
  }
  for (const std::string metric : {"surf_top1", "surf_rank_corr"}) {
    CAPTURE(metric);
    auto rows = board(metric);
    CHECK(rows["perfect"]["rank"] == 1);
    CHECK(std::abs(rows["perfect"][metric].get<double>() - 1.0) < kRounding);
    CHECK(rows["random_concepts"][metric].get<double>() < 0.9);
  }
  // The board that `run` prints is the same one.
  const Json printed = here.json({"run", file});
  CHECK(printed[0]["explainer"] == "perfect");
  CHECK(printed == here.json({"board"}));
}

TEST_CASE("an incomplete entry is not ranked above a complete one") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run(kHead, {"perfect", "svd"}));
  here.run({"run", file, "--no-board", "--only", "explainer=svd"});
  here.run({"run", file, "--no-board", "--only", "explainer=perfect", "--only", "seed=0"});
  const Json part = here.json({"board", "-m", "surf_mae"});
  REQUIRE(part.size() == 2);
  CHECK(part[0]["explainer"] == "svd");
  CHECK(part[0]["rank"] == 1);
  CHECK(part[1]["explainer"] == "perfect");
  CHECK(part[1]["coverage_n"] == 1);
  CHECK(part[1]["coverage_asked"] == 3);
  CHECK(part[1]["surf_mae"].get<double>() < part[0]["surf_mae"].get<double>());  // and yet behind
  CHECK_SAYS(here.run({"board"}).out, "1/3");

  here.run({"run", file, "--no-board"});
  const Json whole = here.json({"board", "-m", "surf_mae"});
  CHECK(whole[0]["explainer"] == "perfect");
  CHECK(whole[0]["coverage_n"] == 3);
}

TEST_CASE("columns, lines of controls, and tables for papers") {
  const Workspace here;
  const auto file = here.write(
      "run.toml", digits_run("seeds = [0, 1]\ncontrols = [\"none\", \"random_importance\"]\n"
                             "metrics = [\"surf_top1\", \"surf_mae\", \"surf_emd\"]",
                             {"svd", "perfect"}));
  here.run({"run", file, "--no-board"});
  // As the run file lists them; the first one ranks.
  CHECK(here.json({"board"})[0].contains("surf_top1@random_importance"));
  const std::string header = here.run({"board"}).out;
  CHECK(header.find("surf_top1") < header.find("surf_mae"));
  CHECK(header.find("surf_mae") < header.find("surf_emd"));
  // A group stands for what the run asks of it.
  const Json group = here.json({"board", "-m", "surf"});
  CHECK(group[0].contains("surf_emd"));
  CHECK_FALSE(group[0].contains("surf_rank_corr"));

  // People see where the control stands, programs have their columns.
  const std::string text = here.run({"board", "-m", "surf_mae"}).out;
  const auto line = text.find("-- random_importance --");
  REQUIRE(line != text.npos);
  CHECK(text.find("perfect") < line);
  CHECK(here.json({"board", "-m", "surf_mae"}).size() == 2);

  const std::string latex =
      here.run({"board", "-m", "surf_mae", "--format", "latex", "--bold", "--tiny", "1e-12"}).out;
  CHECK_SAYS(latex, "\\textbf{$<10^{-12}$}");
  CHECK_FALSE(has(here.run({"board", "-m", "surf_mae", "--format", "latex"}).out, "textbf"));
  CHECK_SAYS(
      here.run({"board", "-m", "surf_mae", "--format", "md", "--bold", "--tiny", "1e-12"}).out,
      "**&lt;1e-12**");
  // Some columns alone; their metrics are the board's.
  const std::string few =
      here.run({"board", "--columns", "explainer,surf_mae,surf_mae@random_importance,surf_emd",
                "--format", "md"})
          .out;
  CHECK_SAYS(few, "| explainer | surf_mae | surf_mae@random_importance | surf_emd |\n");
  CHECK_FALSE(has(few, "-- random_importance --"));
  CHECK(few.find("perfect") < few.find("svd"));
  const Json rows = here.json({"board", "--columns", "surf_emd,explainer"});
  REQUIRE(rows.size() == 2);
  CHECK_FALSE(rows[0].contains("rank"));
  CHECK(rows[0]["surf_emd"] == here.json({"board", "-m", "surf_emd"})[0]["surf_emd"]);
  CHECK_SAYS(here.run({"board", "--columns", "explaner"}, 2).err,
             "--columns: the board has no column explaner (did you mean explainer?)");
  CHECK_SAYS(here.run({"board", "sanity", "--columns", "metric"}, 2).err,
             "goes with board ranking");
  CHECK_SAYS(here.run({"board", "--tiny", "0.02"}, 2).err, "a power of ten");
  CHECK_SAYS(here.run({"board", "sanity", "--bold"}, 2).err, "--bold and --tiny go with");
}

TEST_CASE("where nothing fits there is a reason and exit code 4, no empty board") {
  const Workspace here;
  const auto file = here.write("run.toml", R"(metrics = ["ois"]
[[dataset]]
id = "tabular_toy"
[[model]]
id = "precomputed"
)");
  const auto ended = here.run({"run", file}, 4);
  CHECK(ended.out.empty());
  CHECK_SAYS(ended.err, "none of its combinations fits");
  CHECK_SAYS(ended.err, "skipped: tabular_toy x precomputed: missing");
  CHECK_SAYS(here.run({"board"}, 4).err, "none of its combinations fits");
}

TEST_CASE("a board says how many cells failed, to people") {
  const Workspace here;  // of what ships: a drawn head gives an output too few rows
  const std::vector<std::string> words = {"board", "random_model", "--store", "published"};
  const Json status = here.json({"status", "random_model", "--store", "published"});
  REQUIRE(status["failures"].size() > 1);
  const std::string failed =
      std::to_string(status["failures"].size()) +
      " cells failed: `conoscope status --store published` says which and why";
  CHECK_SAYS(here.run(words).err, failed);
  auto csv = words;
  csv.insert(csv.end(), {"--format", "csv"});
  CHECK_FALSE(has(here.run(csv).err, failed));
}
