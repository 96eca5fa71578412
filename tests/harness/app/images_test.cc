// SPDX-License-Identifier: Apache-2.0
// Explainers and measures that run images of their own through the model.

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

std::string image_run(const std::string& answer, const std::string& rest = "") {
  return "seeds = [0]\nplugin_path = [\"" CONOSCOPE_TEST_PLUGINS
         "\"]\nmetrics = [\"surf_mae\", \"deletion_pixel_auc\"]\n"
         "[[dataset]]\nid = \"digits\"\n"
         "[[model]]\nid = \"quadrants\"\nparams = { answer = \"" +
         answer +
         "\" }\n"
         "[[explainer]]\nid = \"ace\"\nparams = { k = 8, segments = [15, 50], max_images = 10, "
         "min_size = 10, members = 20, random_sets = 5 }\n" +
         rest;
}

constexpr char kMore[] =
    "[[explainer]]\nid = \"hu_mcd\"\n"
    "params = { max_samples = 20, min_segments = 5, clusters = 3 }\n"
    "[[explainer]]\nid = \"perfect\"\n";

}  // namespace

TEST_CASE("ace and hu_mcd explain a model of images, and pixels are deleted through it") {
  const Workspace here;
  here.run_text(image_run("good", kMore), {"-j", "2"});
  const auto rows = here.json({"board", "-m", "deletion_pixel_auc", "-m", "surf_mae"});
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) {
    CAPTURE(row["explainer"].get<std::string>());
    CHECK(row["coverage_n"] == 1);
    CHECK(row["deletion_pixel_auc_n"] == 1);
    CHECK(row["deletion_pixel_auc"].get<double>() > 0.0);
    CHECK(row["deletion_pixel_auc"].get<double>() < 1.0);
    CHECK(row["surf_mae_n"] == 1);
  }
}

TEST_CASE("a model that fails when it is called is what the cell says") {
  const Workspace here;
  here.run({"run", here.write("fault.toml", image_run("fault")), "--no-board"}, 4);
  CHECK_SAYS(here.run({"status"}).out + here.exported(), "the model says: the lens cap is on");
  const Workspace other;
  other.run({"run", other.write("nan.toml", image_run("nan")), "--no-board"}, 4);
  CHECK_SAYS(other.run({"status"}).out + other.exported(), "forward() left NaN or infinity");
}

TEST_CASE(
    "without a model that runs new images the pairs are skipped, and plan says what is missing") {
  const Workspace here;
  const auto file = here.write(
      "run.toml",
      digits_run("metrics = [\"surf_mae\", \"deletion_pixel_auc\"]", {"ace", "perfect"}));
  const Ended ended = here.run({"plan", file});
  CHECK_SAYS(ended.out + ended.err, "x ace: missing inputs, forward");
  CHECK_SAYS(ended.out + ended.err, "x perfect x deletion_pixel_auc: missing inputs, forward");
}
