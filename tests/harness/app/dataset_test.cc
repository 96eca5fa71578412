// SPDX-License-Identifier: Apache-2.0
// `dataset list`, `info` and `export`: what is written is what a run with that seed has.

#include <filesystem>
#include <set>

#include "datasets/formats/npz.h"
#include "tests/harness/app/workspace.h"
#include "tests/support/bytes_of.h"

namespace fs = std::filesystem;
namespace formats = conoscope::formats;
using namespace conoscope::testing;

namespace {

/// The file of that name below a folder.
fs::path find_below(const fs::path& folder, const std::string& name) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().filename() == name) return entry.path();
  return {};
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder))
    out.insert(entry.path().filename().string());
  return out;
}

/// The documents of an answer in JSON, which stand one after the other.
std::vector<Json> documents(const std::string& text) {
  std::vector<Json> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", at), text.size());
    out.push_back(Json::parse(text.substr(at, end - at)));
    at = text.find_first_not_of('\n', end);
  }
  return out;
}

}  // namespace

TEST_CASE("dataset list: each with its licence, what it offers and what it needs") {
  const Workspace here;
  std::map<std::string, Json> rows;
  for (const auto& row : here.json({"dataset", "list"})) rows[row["id"]] = row;
  REQUIRE(rows.contains("tabular_toy"));
  CHECK(rows["digits"]["licence"] == "CC BY 4.0");
  CHECK(rows["digits"]["offers"] == "inputs; labels or targets by task");
  CHECK(rows["digits"]["required"] == "");
  CHECK(rows["tabular_toy"]["offers"] == "inputs, labels, concepts, factors");
  CHECK(rows["table"]["required"] == "table, target");
  CHECK(rows["table"]["offers"] ==
        "inputs; labels or targets by task; optional: concepts, factors");
  CHECK_FALSE(rows.contains("kmeans"));
}

TEST_CASE("dataset info: parameters, and the arrays as a worker loaded them") {
  const Workspace here;
  const Ended ended = here.run({"dataset", "info", "tabular_toy", "--param", "samples=200",
                                "--param", "annotated=1, 3", "--format", "json"});
  const auto said = documents(ended.out);
  REQUIRE(said.size() == 5);  // facts, parameters, arrays, classes, texts
  std::map<std::string, Json> arrays;
  for (const auto& row : said[2]) arrays[row["array"]] = row;
  CHECK(arrays["inputs"]["shape"] == "200 x 7");
  CHECK(arrays["inputs"]["type"] == "float32");
  CHECK(arrays["concepts"]["shape"] == "200 x 2");
  CHECK(arrays["concepts"]["max"] == 1.0);
  CHECK(arrays["train_index"]["shape"] == "140");
  std::int64_t samples = 0, train = 0, test = 0;
  for (const auto& row : said[3]) {
    samples += row["samples"].get<std::int64_t>();
    train += row["train"].get<std::int64_t>();
    test += row["test"].get<std::int64_t>();
  }
  CHECK(samples == 200);
  CHECK(train == 140);
  CHECK(test == 20);
  CHECK(said[4][0] == Json({{"text", "task"}, {"value", "classification"}}));

  const Ended unloaded = here.run({"dataset", "info", "table", "--param", "target=y"});
  CHECK_SAYS(unloaded.out, "that of your file");
  CHECK_SAYS(unloaded.err, "not loaded: that takes --param table=...");
}

TEST_CASE("dataset export: the arrays of a run with that seed, equal bytes for equal seeds") {
  const Workspace here;
  here.run_text(
      "seeds = [3]\nmetrics = [\"mig\"]\n"
      "[[dataset]]\nid = \"soft_concepts\"\nparams = { samples = 90 }\n"
      "[[model]]\nid = \"precomputed_codes\"\n");
  const auto in_run = find_below(here.cache(), "concept_scores.npy");
  REQUIRE_FALSE(in_run.empty());

  const std::vector<std::string> words = {
      "dataset", "export", "soft_concepts", "--param", "samples=90", "--seed", "3", "-o"};
  const auto export_to = [&](const std::string& name, std::vector<std::string> with) {
    with.push_back(here.path(name));
    return here.run(with);
  };
  CHECK_SAYS(export_to("folder", words).err, "codes, concept_probabilities, concept_scores");
  CHECK(bytes_of(here.path("folder/concept_scores.npy")) == bytes_of(in_run));
  const std::set<std::string> wanted = {"codes.npy",          "concept_probabilities.npy",
                                        "concept_scores.npy", "concepts.npy",
                                        "factors.npy",        "test_index.npy",
                                        "texts.tsv",          "train_index.npy"};
  CHECK(names_in(here.path("folder")) == wanted);
  export_to("a.npz", words);
  export_to("b.npz", words);
  CHECK(bytes_of(here.path("a.npz")) == bytes_of(here.path("b.npz")));
  auto other = words;
  other[6] = "4";
  export_to("b.npz", other);
  CHECK_FALSE(bytes_of(here.path("a.npz")) == bytes_of(here.path("b.npz")));
  // Nothing is left in the cache but what the run made.
  CHECK(fs::is_empty(fs::path(here.cache()) / "work"));

  const formats::Npz archive(here.path("a.npz"));
  CHECK(archive.has("train_index"));
  for (const char* name : {"manifest.tsv", "confined.txt", "log.txt"})
    CHECK_FALSE(has(bytes_of(here.path("a.npz")), name));
  const auto codes = archive.get("codes");
  CHECK(codes.shape == std::vector<std::int64_t>{90, 5});
  CHECK(codes.dtype == formats::DType::f4);
  // And it is a dataset again.
  const auto again = documents(
      here.run({"dataset", "info", "precomputed_codes", "--param", "codes=" + here.path("a.npz"),
                "--param", "codes_member=codes", "--param", "factors=" + here.path("a.npz"),
                "--param", "factors_member=factors", "--format", "json"})
          .out);
  CHECK(again.at(2)[0]["array"] == "codes");
  CHECK(again.at(2)[0]["shape"] == "90 x 5");
}

TEST_CASE("dataset: what is refused, and with which exit code") {
  const Workspace here;
  const auto says = [&](std::vector<std::string> words, int code, const std::string& text) {
    words.insert(words.begin(), "dataset");
    CHECK_SAYS(here.run(words, code).err, text);
  };
  says({"lst"}, 2, "no action dataset lst (did you mean list?)");
  says({"info"}, 2, "dataset info: which one?");
  says({"info", "tabular_toi"}, 2, "no dataset of that id (did you mean tabular_toy?)");
  says({"info", "kmeans"}, 2, "kmeans: no such file, and no dataset of that id");
  says({"info", "digits", "--param", "taks=value"}, 2, "no parameter taks (did you mean task?)");
  says({"info", "digits", "--param", "task"}, 2, "--param task: expected NAME=VALUE");
  says({"info", "digits", "--param", "task=digit", "--param", "task=value"}, 2,
       "--param task is given twice");
  says({"info", "tabular_toy", "--param", "delta=much"}, 2, "delta = \"much\": expected a number");
  says({"info", "tabular_toy", "--param", "delta=2"}, 2, "expected a number from 0 to 0.99");
  says({"info", "tabular_toy", "--param", "annotated=4"}, 2,
       "annotated: 4 is none of the concepts 1 to 3");
  says({"info", "digits", "--seconds", "0"}, 2, "--seconds: expected a number above 0");
  says({"info", CONOSCOPE_TEST_BROKEN "/overlapping_split.so"}, 3, "is in the split twice");
  says({"export", "digits"}, 2, "-o FILE.npz or FOLDER is missing");
  here.write("file", "x");
  says({"export", "digits", "-o", here.path("file")}, 2, "neither a .npz file nor an empty folder");
  says({"export", "digits", "-o", here.path("no/such/folder/a.npz")}, 5, "cannot be written");
  says({"export", "table", "-o", here.path("a.npz")}, 2, "parameter table is required");
  const auto file = here.write("t.csv", "x,y\n1,0\nz,1\n");
  says({"export", "table", "--param", "table=" + file, "--param", "target=y", "-o",
        here.path("a.npz")},
       2, "t.csv:3:1: 'z' is not a number");
  CHECK_FALSE(fs::exists(here.path("a.npz")));
}
