// SPDX-License-Identifier: Apache-2.0
// Attacks on explanations through the input: the model's process gives activations and gradients of
// images that are changed.

#include <map>
#include <string>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

TEST_CASE("input_attacks: by the gradient of a network, or by random search, and only when asked") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("libtorch was left out of this build");
  here.run_text(R"(
metrics = ["input_attacks"]
[[dataset]]
id = "digits"
[[model]]
id = "cnn"
params = { channels = [4, 16], epochs = 5 }
[[model]]
id = "mlp"
params = { hidden = [16], epochs = 1 }
[[explainer]]
id = "perfect"
[[explainer]]
id = "random_concepts"
[[explainer]]
id = "svd"
params = { k = 2 }
[[explainer]]
id = "nmf"
params = { k = 2 }
)");
  struct Found {
    double value;
    std::string message;
  };
  std::map<std::string, Found> scores;
  for (const auto& row :
       here.query("SELECT m.plugin_id AS model, e.plugin_id AS explainer, metric, value, "
                  "score.message AS message FROM score "
                  "JOIN attempt ON attempt.id = score.attempt "
                  "JOIN cell ON cell.key = attempt.cell JOIN component AS m ON m.key = cell.model "
                  "JOIN component AS e ON e.key = cell.explainer"))
    scores[row["model"].get<std::string>() + " " + row["explainer"].get<std::string>() + " " +
           row["metric"].get<std::string>()] = {
        row["value"].is_null() ? -1.0 : row["value"].get<double>(),
        row["message"].get<std::string>()};
  REQUIRE(scores.size() == 16);
  for (const std::string model : {"cnn ", "mlp "}) {
    CAPTURE(model);
    const auto of = [&](const std::string& rest) { return scores.at(model + rest); };
    CHECK(of("perfect attack_input_concept").value > 0.0);
    CHECK(of("perfect attack_input_concept").value <= 1.0);
    CHECK(of("perfect attack_input_importance").message ==
          "no predicted class has at least 2 concepts");
    // How far others can be moved depends on the network that was trained; only `perfect` has a bound.
    CHECK(of("random_concepts attack_input_concept").value > 0.0);
    CHECK(of("svd attack_input_concept").value > 0.0);
    CHECK(of("svd attack_input_concept").message.empty());  // the gradient crossed the border
    CHECK(of("svd attack_input_importance").value >= 0.0);
    CHECK(of("nmf attack_input_concept").value > 0.0);
    CHECK(of("nmf attack_input_concept").message == "by random search: psi is not linear");
  }
}
