// SPDX-License-Identifier: Apache-2.0
// Arrays that are damaged, of the wrong kind or do not fit together: the cells fail, each with the
// file and the place in its reason; the others of the run are done.

#include <limits>

#include "tests/harness/app/workspace.h"
#include "tests/support/npy_bytes.h"

using namespace conoscope::testing;

namespace {

/// Eight samples of two positions and three features, a head of two outputs.
class Arrays {
 public:
  explicit Arrays(const Workspace& here) : here_(here) {
    std::vector<float> values;
    for (int i = 0; i < 48; ++i) values.push_back(static_cast<float>(i * 7 % 11) / 8.0f);
    activations = values;
    here.write("a.npy", npy_bytes("<f4", "(8, 2, 3)", values));
    here.write("w.npy", npy_bytes<float>("<f4", "(2, 3)", {1, -1, 0.5f, 0.25f, 2, -2}));
    here.write("b.npy", npy_bytes<float>("<f4", "(2,)", {0, 0.125f}));
    here.write("y.npy", npy_bytes<std::int64_t>("<i8", "(8,)", {0, 1, 0, 1, 0, 1, 0, 1}));
  }

  void add(const std::string& name, const std::string& a, const std::string& w = "w.npy",
           const std::string& y = "y.npy") {
    text_ += "[[dataset]]\nid = \"precomputed\"\nname = \"" + name +
             "\"\nparams = { activations = \"" + a + "\", head_weight = \"" + w +
             "\", head_bias = \"b.npy\", labels = \"" + y + "\" }\n";
  }
  std::string run_file() const {
    return here_.write("run.toml", "metrics = [\"surf\"]\n" + text_ +
                                       "[[model]]\nid = \"precomputed\"\n"
                                       "[[explainer]]\nid = \"perfect\"\n");
  }

  std::vector<float> activations;

 private:
  const Workspace& here_;
  std::string text_;
};

}  // namespace

TEST_CASE("each damaged file fails its cell and no other") {
  const Workspace here;
  Arrays arrays(here);
  const std::string whole = npy_bytes("<f4", "(8, 2, 3)", arrays.activations);
  here.write("truncated.npy", whole.substr(0, whole.size() - 5));
  here.write("header.npy", whole.substr(0, 20));
  here.write("empty.npy", "");
  here.write("object.npy", npy_bytes("|O", "(8, 2, 3)", arrays.activations));
  here.write("wide.npy", npy_bytes<float>("<f4", "(2, 4)", {1, 2, 3, 4, 5, 6, 7, 8}));
  auto with_nan = arrays.activations;
  with_nan[3 * 6 + 1 * 3 + 2] = std::numeric_limits<float>::quiet_NaN();
  here.write("nan.npy", npy_bytes("<f4", "(8, 2, 3)", with_nan));
  here.write("seven.npy", npy_bytes<std::int64_t>("<i8", "(7,)", {0, 1, 0, 1, 0, 1, 0}));
  here.write("class.npy", npy_bytes<std::int64_t>("<i8", "(8,)", {0, 1, 0, 1, 0, 2, 0, 1}));
  here.write("words.csv", "label\n0\n1\ncat\n");

  arrays.add("good", "a.npy");
  arrays.add("truncated", "truncated.npy");
  arrays.add("header", "header.npy");
  arrays.add("empty", "empty.npy");
  arrays.add("object", "object.npy");
  arrays.add("wide", "a.npy", "wide.npy");
  arrays.add("nan", "nan.npy");
  arrays.add("seven", "a.npy", "w.npy", "seven.npy");
  arrays.add("class", "a.npy", "w.npy", "class.npy");
  arrays.add("words", "a.npy", "w.npy", "words.csv");
  const auto file = arrays.run_file();
  const Ended ended = here.run({"run", file}, 4);
  CHECK_SAYS(ended.err, "1 ok, 9 failed");
  CHECK_SAYS(ended.out, "good");  // the board, all the same

  auto reasons = here.failures_at("dataset: load data");
  REQUIRE(reasons.size() == 9);
  const std::vector<std::pair<std::string, std::vector<std::string>>> wanted = {
      {"truncated", {"truncated.npy", "192", "187"}},  // bytes of data expected and found
      {"header", {"header.npy"}},
      {"empty", {"empty.npy"}},
      {"object", {"object.npy", "object"}},
      {"wide", {"wide.npy", "2 x 4", "a.npy", "3"}},
      {"nan", {"nan.npy", "[3, 1, 2]", "nan"}},
      {"seven", {"seven.npy", "7", "8"}},
      {"class", {"class.npy", "[5]", "2"}},
      {"words", {"words.csv:4:1", "cat"}},
  };
  for (const auto& [name, parts] : wanted)
    for (const auto& part : parts) CHECK_SAYS(reasons[name], part);

  // A second try does the failed ones only, and a mended file is other data: a cell of its own.
  CHECK_SAYS(here.run({"run", file}, 4).err, "10 cells, 1 done, 9 to do now");
  CHECK(here.count("attempt") == 19);
}

TEST_CASE("a mended file continues the run") {
  const Workspace here;
  Arrays arrays(here);
  const std::string whole = npy_bytes("<f4", "(8, 2, 3)", arrays.activations);
  here.write("x.npy", whole.substr(0, 150));
  arrays.add("x", "x.npy");
  const auto file = arrays.run_file();
  here.run({"run", file}, 4);
  here.write("x.npy", whole);
  CHECK_SAYS(here.run({"run", file}).err, "1 ok");
  CHECK_SAYS(here.run({"run", file}).err, "1 done, 0 to do now");
}
