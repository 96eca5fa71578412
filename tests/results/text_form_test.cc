// SPDX-License-Identifier: Apache-2.0
#include "results/store/text_form.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "results/boards/history.h"
#include "results/boards/status.h"
#include "results/formats/format.h"
#include "results/store/checksum.h"
#include "results/store/export.h"
#include "results/store/merge.h"
#include "results/store/sqlite.h"
#include "tests/results/sample.h"

using namespace conoscope::results;
using sample::key_of;
using sample::problem_of;

namespace {

std::string text_of(Store& store, std::vector<std::string> runs = {}, bool parts = true) {
  std::string out;
  write_text_form(store, runs, parts, [&out](std::string_view piece) { out += piece; });
  return out;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string exported(Store& store) { return to_text(export_table(store), Format::csv); }

/// Numbered, so that two stores have the same.
AttemptRow attempt(const std::string& id, const std::string& cell, int number,
                   Status status = Status::ok, const std::string& run = "run") {
  AttemptRow out = sample::attempt(id, cell, number, status, run);
  out.number = number;
  return out;
}

/// Two runs that share nothing but dataset and model, a failure, a retraction, awkward texts.
Store filled() {
  Store store = sample::memory({.explainers = {"e"}});
  sample::ask(store, {.run = "other", .explainers = {"f"}});
  const std::vector parts = {SampleScoreRow{"a", 0, 0.1, ""},
                             SampleScoreRow{"a", 1, std::nullopt, "nan"}};
  store.record(attempt("one", key_of("d", "m", "e", 1), 1),
               std::vector{score_row("a", 1.0 / 3.0), score_row("b", 5e-324)}, parts);
  auto failed = attempt("two", key_of("d", "m", "e", 2), 2, Status::crashed);
  failed.message = "tab\tback\\slash\nline\r end";
  store.record(failed, {});
  store.record(attempt("wrong", key_of("d", "m", "e", 3), 3), std::vector{score_row("a", 0.25)});
  store.retract("wrong", "a mistake", sample::at(50));
  store.record(attempt("three", key_of("d", "m", "f", 1), 4, Status::ok, "other"),
               std::vector{score_row("a", 0.5), score_row("b", 1e300)});
  store.add_event({sample::at(1), "event", "note", "a note"});
  return store;
}

}  // namespace

TEST_CASE("text form: what is read back is the store, bit by bit, and gives the same text") {
  const sample::Scratch folder;
  Store store = filled();
  const std::string text = text_of(store);
  write_file(folder / "store.txt", text);
  REQUIRE(is_text_form(folder / "store.txt"));
  Store back = Store::open(folder / "store.txt", Mode::kReadOnly);
  verify(back);
  CHECK(text_of(back) == text);
  CHECK(exported(back) == exported(store));
  CHECK(text.find("tab\\tback\\\\slash\\nline\\r end") != std::string::npos);
  CHECK(text.find("\t5e-324\t") != std::string::npos);

  SUBCASE("it merges into the store that it came from without news") {
    Store into = filled();
    for (const auto& added : merge(into, back)) CHECK_MESSAGE(added.second == 0, added.first);
  }
  SUBCASE("and into an empty one") {
    Store into = Store::open(folder / "new.db", Mode::kReadWrite);
    merge(into, folder / "store.txt");
    CHECK(text_of(into) == text);
  }
  SUBCASE("it is not written to") {
    std::string message;
    CHECK(problem_of([&] { Store::open(folder / "store.txt", Mode::kReadWrite); }, &message) ==
          "read_only");
    CHECK(message.find("conoscope merge") != std::string::npos);
  }
}

TEST_CASE("text form: a run's part has its cells, without what was retracted") {
  const sample::Scratch folder;
  Store store = filled();
  write_file(folder / "run.txt", text_of(store, {"run"}));
  Store part = Store::open(folder / "run.txt", Mode::kReadOnly);
  verify(part);
  CHECK(part.runs().size() == 1);
  CHECK(part.tried_cells() ==
        std::set<std::string>{key_of("d", "m", "e", 1), key_of("d", "m", "e", 2)});
}

TEST_CASE("text form: of one component, and by which plugin files") {
  const sample::Scratch folder;
  Store store = sample::memory({.explainers = {"e", "f"}, .seeds = 1});
  const std::string hash(64, 'a'), other(64, 'b');
  store.add_plugins(
      std::vector{PluginRow{"explainer", "e", "1.0.0", hash, "/home/ada/e.py", "MIT", "nobody"},
                  PluginRow{"explainer", "e", "1.0.0", other, "e.py", "MIT", "nobody"}});
  for (const std::string explainer : {"e", "f"}) {
    auto row = attempt(explainer, key_of("d", "m", explainer, 1), explainer == "e" ? 1 : 2);
    row.binaries = "d 1.0.0 0; " + explainer + " 1.0.0 " + hash.substr(0, 16);
    store.record(row, std::vector{score_row("a", 0.5)});
  }
  const std::vector<std::string> runs = {"run"}, of = {"e"};
  write_text_form(store, runs, true, folder / "e.gz", of);
  Store part = Store::open(folder / "e.gz", Mode::kReadOnly);
  verify(part);
  CHECK(part.tried_cells() == std::set<std::string>{key_of("d", "m", "e", 1)});
  Statement asked(part.connection(),
                  "SELECT (SELECT count(*) FROM run_cell), sha256, file FROM plugin");
  REQUIRE(asked.step());
  CHECK(asked.integer(0) == 2);  // what the run asks for stays what its key says
  CHECK(asked.text(1) == hash);
  CHECK(asked.text(2) == "e.py");
  CHECK_FALSE(asked.step());
}

TEST_CASE("text form: without parts, attempts are others, beside the whole ones") {
  const sample::Scratch folder;
  Store store = filled();
  write_file(folder / "scores.txt", text_of(store, {"run"}, false));
  Store into = filled();
  const auto added = merge(into, folder / "scores.txt");
  CHECK(added.at("attempt") == 2);
  CHECK(added.at("sample_score") == 0);
  CHECK(exported(into) == exported(store));
}

TEST_CASE("text form: what was left without parts once keeps its ids") {
  const sample::Scratch folder;
  Store store = filled();
  const std::string text = text_of(store, {"run"}, false);
  write_file(folder / "scores.txt", text);
  Store back = Store::open(folder / "scores.txt", Mode::kReadOnly);
  CHECK(text_of(back, {"run"}, false) == text);
}

TEST_CASE("text form: two layers of a cell are kept, each with its environment and plugin file") {
  const sample::Scratch folder;
  Store store = sample::memory({.seeds = 1});
  const std::string key = key_of("d", "m", "e", 1);
  for (const int layer : {1, 2}) {
    const std::string digit = std::to_string(layer);
    const auto environment = environment_row("cpu: x\nconoscope: " + digit + ".0.0 (abc)\n");
    store.add_environment(environment);
    store.add_plugins(std::vector<PluginRow>{
        {"explainer", "e", "1.0.0", std::string(64, digit[0]), "file.so", "", ""}});
    AttemptRow made = attempt(digit, key, layer);
    made.environment = environment.key;
    made.binaries = "e 1.0.0 " + std::string(16, digit[0]);
    store.record(made, std::vector{score_row("a", layer), score_row("b", layer)});
  }
  for (const bool parts : {true, false}) {
    write_file(folder / "layers.txt", text_of(store, {"run"}, parts));
    Store back = Store::open(folder / "layers.txt", Mode::kReadOnly);
    verify(back);
    const Table layers = history(back, {.metric = "a"});
    REQUIRE(layers.rows.size() == 2);
    const auto column = [&layers](std::size_t row, std::string_view name) {
      const auto found = std::ranges::find(layers.columns, name, &Column::name);
      return layers.rows[row][static_cast<std::size_t>(found - layers.columns.begin())];
    };
    CHECK(text_of(column(0, "conoscope")) == "1.0.0 (abc)");
    CHECK(text_of(column(1, "conoscope")) == "2.0.0 (abc)");
    CHECK(text_of(column(0, "file")) == std::string(16, '1'));
    CHECK(text_of(column(1, "file")) == std::string(16, '2'));
    CHECK(std::get<std::int64_t>(column(0, "counts")) == 0);
    CHECK(std::get<std::int64_t>(column(1, "counts")) == 1);
    CHECK(to_text(origins(back), Format::csv) ==
          "run,conoscope,cells,first,last,key\n"
          "name of run,1.0.0 (abc),1," +
              sample::at(1) + "," + sample::at(1) +
              ",run\n"
              "name of run,2.0.0 (abc),1," +
              sample::at(2) + "," + sample::at(2) + ",run\n");
  }
}

TEST_CASE("text form: a run's components have the names that it calls them by") {
  const sample::Scratch folder;
  Store store = sample::memory();
  auto renamed = sample::component("explainer", "e");
  renamed.name = "a newer name";
  store.register_run(
      {"newer", "newer", "[run]", sample::at(5)},
      std::vector{sample::component("dataset", "d"), sample::component("model", "m"), renamed},
      std::vector{sample::cell("d", "m", "e", 1)}, std::vector{sample::metric("a")});
  write_file(folder / "run.txt", text_of(store, {"run"}));
  Store part = Store::open(folder / "run.txt", Mode::kReadOnly);
  CHECK(part.connection().text("SELECT name FROM component WHERE key = 'e'") == "e");
}

TEST_CASE("text form: a damaged file is refused with its line") {
  const sample::Scratch folder;
  Store store = filled();
  const std::string text = text_of(store);
  const auto refused = [&](const std::string& damaged) {
    write_file(folder / "damaged.txt", damaged);
    std::string message;
    CHECK(problem_of([&] { Store::open(folder / "damaged.txt", Mode::kReadOnly); }, &message) ==
          "corrupt");
    return message;
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    return out.replace(out.find(from), from.size(), to);
  };
  CHECK(refused(text.substr(0, text.size() - 4)).find("cut off") != std::string::npos);
  CHECK(refused(with("=score\t", "=scores\t")).find("no table scores") != std::string::npos);
  CHECK(refused(with("=score\tattempt\tmetric", "=score\tattempt\tmetrics"))
            .find("no column metrics") != std::string::npos);
  CHECK(refused(with("\t5e-324\t", "\tfive\t")).find("five is no REAL") != std::string::npos);
  CHECK(refused(with("\t5e-324\t", "\t")).find("fields for") != std::string::npos);
  CHECK(refused(with("\\nline", "\\qline")).find("is no TEXT") != std::string::npos);
  write_file(folder / "newer.txt", with("schema ", "schema 9"));
  CHECK(problem_of([&] { Store::open(folder / "newer.txt", Mode::kReadOnly); }) == "newer_schema");
}

TEST_CASE("text form: a changed score is another attempt, which no merge takes for the same") {
  const sample::Scratch folder;
  Store store = filled();
  std::string text = text_of(store);
  text.replace(text.find("0.3333333333333333"), 18, "0.3333333333333334");
  write_file(folder / "forged.txt", text);
  CHECK(problem_of([&] { merge(store, folder / "forged.txt"); }) == "conflict");
}

TEST_CASE("text form: a folder of them is one store") {
  const sample::Scratch folder;
  Store store = filled();
  std::string message;
  CHECK(problem_of([&] { Store::open(folder.path(), Mode::kReadOnly); }, &message) ==
        "cannot_open");
  write_file(folder / "a.txt", text_of(store, {"run"}));
  write_file(folder / "b.txt", text_of(store, {"other"}));
  write_file(folder / "README", "not a store");
  Store both = Store::open(folder.path(), Mode::kReadOnly);
  CHECK(both.runs().size() == 2);
  CHECK(both.tried_cells() == std::set<std::string>{key_of("d", "m", "e", 1),
                                                    key_of("d", "m", "e", 2),
                                                    key_of("d", "m", "f", 1)});
}
