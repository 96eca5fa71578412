// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/support/head_bundle.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;

namespace {

/// Two outputs over two features; three concepts in files.
struct Saved {
  Scratch scratch;
  Bundle head =
      head_bundle(Rows{{1.0, 2.0}, {3.0, 4.0}}, 1, Rows{{1.0, 0.0}, {0.0, 1.0}}, {0.0, 0.0});
  Arguments files = {{"cavs", scratch.write("v.csv", "1,0\n0,1\n3,4\n")},
                     {"importance", scratch.write("a.csv", "0.5\n2\n-1\n")},
                     {"counts", scratch.write("c.csv", "1\n2\n")}};

  Outcome fit() const { return plugin("precomputed_explainer").fit_explainer(files, head); }
  Rows project(const Bundle& explanation, std::int64_t output, std::int64_t concepts) const {
    const OwnedArray rows = OwnedArray::of<double>({2, 2}, {1.0, 2.0, 3.0, 4.0});
    const Outcome outcome =
        plugin("precomputed_explainer").project(files, explanation, output, rows, concepts);
    REQUIRE(outcome.error == "");
    return matrix_of(outcome.out, "scores");
  }
};

}  // namespace

TEST_CASE("precomputed: concepts of each output, as they were saved") {
  const Saved saved;
  const Outcome outcome = saved.fit();
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.texts.at("scope") == "class_specific");
  CHECK(matrix_of(outcome.out, "cavs") == Rows{{1.0, 0.0}, {0.0, 1.0}, {3.0, 4.0}});
  const auto importance = outcome.out.values<double>("importance");
  CHECK(std::vector<double>(importance.begin(), importance.end()) ==
        std::vector<double>{0.5, 2.0, -1.0});
  CHECK(saved.project(outcome.out, 0, 1) == Rows{{1.0}, {3.0}});
  CHECK(saved.project(outcome.out, 1, 2) == Rows{{2.0, 11.0}, {4.0, 25.0}});
}

TEST_CASE("precomputed: concepts that all outputs share, with a mean and a psi of their own") {
  Saved saved;
  saved.files.erase("counts");
  saved.files["importance"] = saved.scratch.write("a.csv", "1,2,3\n4,5,6\n");
  saved.files["mean"] = saved.scratch.write("m.csv", "1\n1\n");
  saved.files["psi"] = saved.scratch.write("psi.csv", "1,0\n0,10\n1,1\n");
  const Outcome outcome = saved.fit();
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.texts.at("scope") == "class_agnostic");
  CHECK(saved.project(outcome.out, 1, 3) == Rows{{0.0, 10.0, 1.0}, {2.0, 30.0, 5.0}});
}

TEST_CASE("precomputed: files that do not fit the head") {
  const auto refuses = [&](const char* name, const char* text, const std::string& message) {
    Saved wrong;
    const std::string file = wrong.scratch.write("wrong.csv", text);
    wrong.files[name] = file;
    CHECK(wrong.fit().error == file + message);
  };
  refuses("cavs", "1,0,0\n",
          ": cavs are 1 x 3, expected concepts x 2, the width of the activations");
  refuses("counts", "1\n2\n1\n", ": counts are 3, expected one for each of the 2 outputs");
  refuses("mean", "1\n1\n1\n", ": mean is 3, expected 2");
  refuses("psi", "1,1\n", ": psi is 1 x 2, expected 3 x 2");
  refuses("mean", "1\nnan\n", ": the value at [1] is nan, mean must be finite");
}
