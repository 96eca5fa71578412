// SPDX-License-Identifier: Apache-2.0
// Activations of a real ResNet-20 on CIFAR-10 (float16, 2000 samples): explainers run, and
// the perfect explanation is perfect.

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/harness/app/workspace.h"
#include "tests/support/capture_binding.h"
#include "tests/support/sanitized.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

TEST_CASE("the explainers on a real network") {
  const char* folder = std::getenv("CONOSCOPE_DATA_DIR");
  const fs::path data =
      fs::path(folder != nullptr && *folder != '\0' ? folder : CONOSCOPE_TEST_DATA_DIR) /
      "resnet20_cifar10";
  if (!fs::exists(data / "activations_f16.npy"))
    SKIP_TEST(data.string() + " is not there; CONOSCOPE_DATA_DIR says where the data are");
  const Workspace here;
  const auto item = [&](const std::string& name, const std::string& file) {
    return name + " = \"" + (data / file).string() + "\"";
  };
  std::string text =
      "metrics = [\"surf\"]\n[[dataset]]\nid = \"precomputed\"\nname = \"cifar10\"\n";
  text += "params = { " + item("activations", "activations_f16.npy") + ", " +
          item("head_weight", "head_weight.npy") + ", " + item("head_bias", "head_bias.npy") +
          ", " + item("labels", "labels.npy") + ", " + item("logits", "logits.npy") + " }\n";
  text += "[[model]]\nid = \"precomputed\"\n";
  std::vector<std::string> explainers = {"perfect", "random_importance", "random_concepts", "svd"};
  if (!kSanitized) explainers.insert(explainers.end(), {"kmeans", "nmf"});  // two minutes there
  for (const auto& explainer : explainers) text += "[[explainer]]\nid = \"" + explainer + "\"\n";
  here.run({"run", here.write("resnet.toml", text), "--no-board", "-j", "2"});

  std::map<std::string, Json> rows;
  const Json board = here.json(
      {"board", "-m", "surf_mae", "-m", "surf_emd", "-m", "surf_top1", "-m", "surf_rank_corr"});
  for (const auto& row : board) rows[row["explainer"]] = row;
  REQUIRE(rows.size() == explainers.size());
  CHECK(rows["perfect"]["rank"] == 1);
  // Logits are of size 10, the head has 64 weights: rounding is some 1e-15.
  CHECK(rows["perfect"]["surf_mae"].get<double>() < 1e-12);
  CHECK(rows["perfect"]["surf_emd"].get<double>() < 1e-12);
  CHECK(rows["perfect"]["surf_top1"] == 1.0);
  CHECK(std::abs(rows["perfect"]["surf_rank_corr"].get<double>() - 1.0) < 1e-12);
  for (const auto& [name, row] : rows) {
    CAPTURE_BINDING(name);
    if (name != "perfect") CHECK(row["surf_mae"].get<double>() > 1e-3);
  }
}
