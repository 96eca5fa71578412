// SPDX-License-Identifier: Apache-2.0
// Controls that move the training samples: explanations of their own, beside the clean one.

#include <filesystem>
#include <map>

#include "tests/harness/app/workspace.h"
#include "tests/support/bytes_of.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

std::string run_file(const Workspace& here) {
  return here.write("run.toml",
                    digits_run("name = \"run\"\nseeds = [0, 1]\ncontrols = [\"none\", \"noisy\", "
                               "\"poisoned\", \"random_model\"]\n"
                               "metrics = [\"surf_emd\", \"kept_concepts\"]\n",
                               {"perfect", "random_concepts", "svd", "kmeans"}));
}

/// By explainer: kept_concepts of seed 0.
std::map<std::string, double> kept(const Workspace& here, const std::string& control) {
  std::map<std::string, double> out;
  for (const auto& row : here.query(
           "SELECT plugin_id, value FROM current_score JOIN cell ON cell.key = cell JOIN component "
           "ON component.key = explainer WHERE metric = 'kept_concepts' AND value IS NOT NULL AND "
           "seed = 0 AND control = '" +
           control + "'"))
    out[row["plugin_id"]] = row["value"];
  return out;
}

/// The files of the explanation that a cell was scored from.
std::map<std::string, std::string> explanation(const Workspace& here, const std::string& explainer,
                                               const std::string& control) {
  const Json cell = here.query(
      "SELECT cell.key FROM cell JOIN component ON component.key = explainer WHERE plugin_id = '" +
      explainer + "' AND seed = 0 AND control = '" + control + "'");
  const std::string folder = here.path(explainer + "_" + control);
  here.run({"artifact", cell[0]["key"], "--cache", here.cache(), "-o", folder});
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::directory_iterator(folder + "/explanation"))
    out[entry.path().filename()] = bytes_of(entry.path());
  return out;
}

}  // namespace

TEST_CASE("poisoned: what reads activations learns other concepts, what does not is the same") {
  const Workspace here;
  here.run({"run", run_file(here), "--no-board"});
  CHECK(here.count("attempt") == 32);
  CHECK(here.query("SELECT DISTINCT state FROM cell_state") == Json::parse(R"([{"state": "ok"}])"));
  CHECK(kept(here, "none").empty());
  CHECK(kept(here, "random_model").empty());
  const auto poisoned = kept(here, "poisoned"), noisy = kept(here, "noisy");
  REQUIRE(poisoned.size() == 4);
  REQUIRE(noisy.size() == 4);
  for (const char* blind : {"perfect", "random_concepts"}) {
    CAPTURE(blind);
    CHECK(poisoned.at(blind) > 1.0 - 1e-12);
    const auto clean = explanation(here, blind, "none");
    CHECK(clean.contains("cavs.npy"));
    CHECK(explanation(here, blind, "poisoned") == clean);
    CHECK(explanation(here, blind, "noisy") == clean);
  }
  CHECK(1.0 - poisoned.at("svd") > 1.5 * (1.0 - noisy.at("svd")));
  CHECK(noisy.at("svd") < 1.0 - 1e-3);
  CHECK(poisoned.at("kmeans") < 1.0 - 1e-6);
  for (const char* control : {"poisoned", "noisy", "random_model"})
    CHECK(explanation(here, "svd", control) != explanation(here, "svd", "none"));
  CHECK(explanation(here, "svd", "poisoned") != explanation(here, "svd", "noisy"));

  const Json board = here.json({"board", "run", "-m", "surf_emd"});
  for (const auto& row : board) {
    CHECK(row["surf_emd@poisoned"].is_number());
    CHECK(row["surf_emd@noisy"].is_number());
    if (row["explainer"] == "perfect") CHECK(row["surf_emd@poisoned"] == row["surf_emd"]);
  }
  const Json measured = here.json({"board", "run", "-m", "kept_concepts"});
  REQUIRE(measured.size() == 4);
  for (const auto& row : measured) CHECK(row["kept_concepts@poisoned"].is_number());
  here.run({"report", "run", "-o", here.path("report.html")});
}

TEST_CASE("poisoned: resumed, sharded and verified as any cell") {
  const Workspace whole, a, b;
  whole.run({"run", run_file(whole), "--no-board"});
  CHECK_SAYS(whole.run({"run", run_file(whole), "--no-board"}).err, "0 to do now");
  CHECK_SAYS(whole.run({"verify", "--format", "json"}).err, "32 cells: 32 the same bit for bit");
  // The control alone has its clean explanation made, too.
  a.run({"run", run_file(a), "--no-board", "--only", "control=poisoned"});
  CHECK(a.count("attempt") == 8);
  CHECK(kept(a, "poisoned") == kept(whole, "poisoned"));
  fs::remove_all(a.cache());
  a.run({"run", run_file(a), "--no-board", "--shard", "1/2"});
  b.run({"run", run_file(b), "--no-board", "--shard", "2/2"});
  a.run({"merge", b.store()});
  CHECK_SAYS(a.run({"run", run_file(a), "--no-board"}).err, "0 to do now");
  CHECK(a.exported() == whole.exported());
}
