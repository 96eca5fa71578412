// SPDX-License-Identifier: Apache-2.0
// A layer below the last one through the host: the model's process answers for moved activations.

#include <cmath>
#include <map>
#include <string>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

/// By "<model> <explainer> <control> <metric>".
std::map<std::string, double> scores_of(const Workspace& here) {
  std::map<std::string, double> out;
  for (const auto& row : here.query(
           "SELECT m.name || ' ' || e.plugin_id || ' ' || control || ' ' || metric AS name, value "
           "FROM current_score JOIN cell ON cell.key = cell "
           "JOIN component AS m ON m.key = cell.model "
           "JOIN component AS e ON e.key = cell.explainer"))
    out[row["name"].get<std::string>()] = row["value"];
  return out;
}

/// The scores of `perfect` and of another explainer, at both layers of a small network on digits.
std::map<std::string, double> at_two_layers(const Workspace& here, const std::string& asked,
                                            int epochs, const std::string& explainer) {
  here.run({"run",
            here.write("run.toml", asked + R"(
[[dataset]]
id = "digits"
[[model]]
id = "cnn"
name = "layer {layer}"
params = { channels = [3, 4], layer = [1, 2], epochs = )" +
                                       std::to_string(epochs) + R"( }
[[explainer]]
id = "perfect"
[[explainer]]
id = ")" + explainer + "\"\n"),
            "--plugin-path", CONOSCOPE_TEST_PLUGINS, "--no-board"});
  return scores_of(here);
}

}  // namespace

TEST_CASE("surf_below: the perfect explanation is 0 at any layer, and at the last it is surf") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("libtorch was left out of this build");
  const auto scores = at_two_layers(
      here,
      R"(metrics = ["surf_through_emd", "surf_local_emd", "surf_emd", "surf_through_mae", "surf_local_mae", "surf_mae"])",
      1, "random_concepts");
  REQUIRE(scores.size() == 24);
  for (const char* unit : {"emd", "mae"}) {
    CAPTURE(unit);
    for (const char* form : {"surf_through_", "surf_local_"}) {
      CAPTURE(form);
      const std::string metric = std::string(form) + unit;
      for (const char* layer : {"layer 1", "layer 2"}) {
        CHECK(scores.at(std::string(layer) + " perfect none " + metric) < 1e-12);
        CHECK(scores.at(std::string(layer) + " random_concepts none " + metric) > 1e-3);
      }
      CHECK(std::abs(scores.at("layer 2 random_concepts none " + metric) -
                     scores.at(std::string("layer 2 random_concepts none surf_") + unit)) < 1e-12);
    }
    // How far the mean reading is from the network.
    CHECK(scores.at(std::string("layer 1 perfect none surf_") + unit) > 1e-3);
  }
}

TEST_CASE("random_model below the last layer draws all that lies above it anew") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("libtorch was left out of this build");
  const auto scores = at_two_layers(here, R"(metrics = ["surf_through_emd"]
controls = ["none", "random_model"])",
                                    2, "random_concepts");
  REQUIRE(scores.size() == 8);
  for (const std::string layer : {"layer 1 ", "layer 2 "}) {
    CAPTURE(layer);
    CHECK(scores.at(layer + "perfect none surf_through_emd") < 1e-12);
    CHECK(scores.at(layer + "perfect random_model surf_through_emd") > 1e-3);
    // Looks at no head: the same explanation, to the last bit.
    CHECK(scores.at(layer + "random_concepts none surf_through_emd") ==
          scores.at(layer + "random_concepts random_model surf_through_emd"));
  }
}

TEST_CASE("an explainer may call what lies above the layer, also of a network drawn anew") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("libtorch was left out of this build");
  // The mean gradient is the reading of the layer that the perfect explanation hands over.
  const auto scores = at_two_layers(here, R"(metrics = ["surf_mae"]
controls = ["none", "random_model"])",
                                    1, "mean_gradients");
  REQUIRE(scores.size() == 8);
  for (const std::string layer : {"layer 1 ", "layer 2 "})
    for (const std::string control : {"none", "random_model"}) {
      CAPTURE(layer + control);
      CHECK(std::abs(scores.at(layer + "mean_gradients " + control + " surf_mae") -
                     scores.at(layer + "perfect " + control + " surf_mae")) < 1e-5);
    }
}

TEST_CASE("a model in quarantine is not loaded to draw its head anew either") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("libtorch was left out of this build");
  const auto run = [&here](const std::string& control, int code) {
    here.run_text(R"(
metrics = ["surf_mae"]
controls = [")" + control +
                      R"("]
[[dataset]]
id = "digits"
[[model]]
id = "cnn"
params = { channels = [3, 4], epochs = 1 }
[[explainer]]
id = "perfect"
)",
                  {}, code);
  };
  run("none", 0);
  const std::string model = here.query("SELECT sha256 FROM plugin WHERE id = 'cnn'")[0]["sha256"];
  here.write("cache/quarantine.tsv", model + "\tloading it hung\n");
  run("random_model", 4);
  // Dataset and model are in the cache: the explainer's worker is the first that would load it.
  const auto failed = here.query("SELECT stage, message FROM attempt WHERE status <> 'ok'");
  REQUIRE(failed.size() == 1);
  CHECK(failed[0]["stage"] == "explain: load");
  CHECK(failed[0]["message"].get<std::string>().find("in quarantine: loading it hung") !=
        std::string::npos);
}
