// SPDX-License-Identifier: Apache-2.0
#include "results/store/origins.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "numerics/sha256.h"
#include "results/analysis/ranking.h"
#include "results/boards/across.h"
#include "results/boards/board.h"
#include "results/formats/format.h"
#include "results/store/text_form.h"
#include "tests/results/sample.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;
using sample::problem_of;

namespace {

constexpr const char* kHead =
    "submission\tsha256\tdataset\tmodel\texplainer\torigin\tcells\tseed\n";

/// Two submissions, of which the explainer f is the better one.
class Submissions {
 public:
  Submissions() {
    Store store = sample::memory({.explainers = {"e", "f"}, .seeds = 1});
    const std::vector<std::string> runs = {"run"};
    int number = 0;
    for (const auto& [explainer, value] : {std::pair("e", 0.25), std::pair("f", 0.5)}) {
      store.record(attempt(explainer, key_of("d", "m", explainer, 1), ++number),
                   std::vector{score_row("a", value)});
      const std::vector<std::string> of = {explainer};
      std::filesystem::create_directory(folder / explainer);
      write_text_form(store, runs, false, folder / explainer / "scores.gz", of);
    }
  }

  std::string line(const std::string& explainer, const std::string& origin) const {
    std::ifstream in(folder / explainer / "scores.gz", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    conoscope::numerics::Sha256 hash;
    hash.update({bytes.data(), bytes.size()});
    return explainer + "\t" + hash.hex() + "\td\tm\t" + explainer + "\t" + origin + "\t1/1\t7\n";
  }
  void check(const std::string& lines) const { std::ofstream(folder / "checked.tsv") << lines; }
  Store open() const { return Store::open(folder.path(), Mode::kReadOnly); }

  sample::Scratch folder;
};

/// "f 1 self-reported; ...", in the order of the board.
std::string rows_of(const Table& board) {
  std::string out;
  for (const auto& row : board.rows)
    out += (out.empty() ? "" : "; ") + text_of(row[board.column("explainer")]) + " " +
           std::to_string(std::get<std::int64_t>(row[board.column("rank")])) + " " +
           text_of(row[board.column(kOriginColumn)]);
  return out;
}

BoardOptions by_a() {
  BoardOptions options;
  options.metrics = {"a"};
  return options;
}

}  // namespace

TEST_CASE("origins: a row that nobody has seen come out ranks behind, and is never the best") {
  const Submissions here;
  Store none = here.open();
  CHECK(rows_of(board(none, by_a())) == "f 1 self-reported; e 2 self-reported");

  here.check(kHead + here.line("e", kRecomputedHere));
  Store one = here.open();
  Table table = board(one, by_a());
  CHECK(rows_of(table) == "e 1 recomputed here; f 2 self-reported");
  mark_best(table, "a", "higher");
  CHECK(std::get<Estimate>(table.rows[0][table.column("a")]).best);
  CHECK_FALSE(std::get<Estimate>(table.rows[1][table.column("a")]).best);
  const Table across = across_datasets(table);
  CHECK(text_of(across.rows[1][across.column(kOriginColumn)]) == kSelfReported);

  here.check(kHead + here.line("e", kRecomputedHere) + here.line("f", kRecomputedElsewhere));
  Store both = here.open();
  CHECK(rows_of(board(both, by_a())) == "f 1 recomputed elsewhere; e 2 recomputed here");
}

TEST_CASE("origins: a label is that of these scores, and of the submission seen least") {
  const Submissions here;
  auto other = here.line("e", kRecomputedHere);
  other.replace(2, 8, "00000000");
  here.check(kHead + other);
  Store changed = here.open();
  CHECK(changed.origins().at({"d", "m", "e"}) == kSelfReported);

  here.check(kHead + here.line("e", kRecomputedHere));
  std::filesystem::copy(here.folder / "e", here.folder / "z",
                        std::filesystem::copy_options::recursive);
  Store twice = here.open();
  CHECK(twice.origins().at({"d", "m", "e"}) == kSelfReported);
}

TEST_CASE(
    "origins: a file that was not written by the check is refused, and stores elsewhere have "
    "none") {
  const Submissions here;
  const auto refused = [&](const std::string& lines) {
    here.check(lines);
    std::string message;
    CHECK(problem_of([&] { here.open(); }, &message) == "corrupt");
    return message;
  };
  CHECK(refused("").find("checked.tsv:1: expected the line") != std::string::npos);
  CHECK(refused(std::string(kHead) + "e\n").find("checked.tsv:2: 1 fields, not 8") !=
        std::string::npos);
  CHECK(refused(kHead + here.line("e", "true")).find("no origin \"true\"") != std::string::npos);
  Store alone = Store::open(here.folder / "e" / "scores.gz", Mode::kReadOnly);
  CHECK(alone.origins().empty());
  CHECK_THROWS_AS(board(alone, by_a()).column(kOriginColumn), std::invalid_argument);
  CHECK(alone.tried_cells() == std::set<std::string>{key_of("d", "m", "e", 1)});
}
