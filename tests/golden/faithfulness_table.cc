// SPDX-License-Identifier: Apache-2.0
// The digits table: whole methods on a real network's activations. Answered by the real thing: the
// command runs the plugins over five seeds, and the means are read from its board.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/golden/kinds.h"
#include "tests/support/content_of.h"
#include "tests/support/scratch.h"

namespace conoscope::tests::golden {

namespace {

namespace fs = std::filesystem;

constexpr int kSeeds = 5;

/// The explainer, as a run file names it, that does what a row of the table does.
const std::map<std::string, std::string>& methods() {
  static const std::map<std::string, std::string> known = {
      {"cshap", "id = \"c_shap\"\nparams = { concepts = 20, coalitions = 300 }"},
      {"kmeans", R"(id = "kmeans")"},
      {"mcd", "id = \"mcd\"\nparams = { gamma = 10.0 }"},
      {"mcd_1d", "id = \"mcd\"\nparams = { gamma = 10.0, max_dimension = 1 }"},
      {"mcd_cap", "id = \"mcd\"\nparams = { gamma = 10.0, max_dimension = 6 }"},
      {"mcd_km", "id = \"mcd\"\nparams = { clustering = \"kmeans\" }"},
      {"nmf_ice", R"(id = "nmf")"},
      {"sae", R"(id = "topk_sae")"},
      {"nmf_ice_tcav", "id = \"ice\"\nparams = { importance = \"tcav\" }"},
      {"nmf_minibatch", "id = \"ice\"\nparams = { solver = \"minibatch\", psi = \"transform\" }"},
      {"craft", R"(id = "craft")"},
      {"craft_noreg", "id = \"craft\"\nparams = { alpha = 0.0 }"},
      {"cdisco", R"(id = "cdisco_directional")"},
      {"cdisco_lit", R"(id = "cdisco")"},
      {"pca", R"(id = "pca")"},
      {"svd", R"(id = "svd")"},
      {"svd_pos", "id = \"svd\"\nparams = { rows = \"positions\" }"},
  };
  return known;
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

/// board --format json of a run over all methods, computed once for a folder of cases.
const Json& board_of(const Case& one) {
  static std::map<std::string, Json> known;
  auto [it, fresh] = known.try_emplace(one.folder.string());
  if (!fresh) return it->second;

  const testing::Scratch work;
  const auto array = [&one](const char* name) {
    return fs::absolute(one.folder / std::string(one.json.at("inputs").at(name))).string();
  };
  std::ofstream run(work / "table.toml");
  run << "seeds = [";
  for (int seed = 0; seed < kSeeds; ++seed) run << (seed ? ", " : "") << seed;
  run << "]\nmetrics = [\"surf\"]\n\n[[dataset]]\nid = \"precomputed\"\n[dataset.params]\n"
      << "train_activations = \"" << array("atr") << "\"\ntest_activations = \"" << array("ate")
      << "\"\nhead_weight = \"" << array("W") << "\"\nhead_bias = \"" << array("b")
      << "\"\n\n[[model]]\nid = \"precomputed\"\n";
  for (const auto& [name, explainer] : methods())
    run << "\n[[explainer]]\nname = \"" << name << "\"\n" << explainer << '\n';
  run.close();

  const std::string common = " --store " + quoted(work.path("table.db"));
  std::string metrics = " --metric surf_flops";
  for (const char* metric : {"surf_mae", "surf_emd", "surf_top1", "surf_rank_corr"})
    metrics += std::string(" --metric ") + metric + " --metric " + metric + "_spatial_mean";
  const std::string command =
      std::string(CONOSCOPE_COMMAND) + " run " + quoted(work.path("table.toml")) + common +
      " --cache " + quoted(work.path("cache")) + " -j 2 --no-board 2>" + quoted(work.path("log")) +
      " && " + CONOSCOPE_COMMAND + " board" + common + metrics + " --format json >" +
      quoted(work.path("board.json"));
  const int status = std::system(command.c_str());
  if (status != 0)
    throw std::runtime_error("conoscope run failed: " + testing::content_of(work / "log"));
  it->second = Json::parse(testing::content_of(work / "board.json"));
  return it->second;
}

/// Scalars per output: SURF's cost is two operations for each. The case states no tolerance for
/// it; a tenth is what clusterings from other random starts differ by.
void check_dimensions(const Case& one, const Json& row, Outputs& out) {
  if (!one.expects("dims_mean_mean")) return;
  const double outputs = static_cast<double>(one.input("W").shape.front());
  const double found = row.at("surf_flops").get<double>() / (2.0 * outputs);
  const double expected = one.expected().at("dims_mean_mean");
  if (std::abs(found - expected) > 0.1 * expected)
    throw std::runtime_error("dims_mean_mean is " + std::to_string(found));
  out.not_compared["dims_mean_mean"] =
      "no tolerance is stated; " + std::to_string(found) + " is within a tenth";
}

Outputs digits_table(const Case& one) {
  const std::string method = one.params().at("method");
  if (methods().count(method) == 0) throw Skip("no explainer for the table's method " + method);
  if (one.params().at("K") != 5) throw std::runtime_error("expected the explainers' default k = 5");
  Outputs out;
  for (const char* name : {"r2_mean", "dead_mean", "complete_acc_mean"})
    out.not_compared[name] = "the case states no tolerance";
  for (const Json& row : board_of(one)) {
    if (row.at("explainer") != method) continue;
    check_dimensions(one, row, out);
    for (const char* name : {"mae", "emd", "top1", "rank_corr"}) {
      const std::string metric = std::string("surf_") + name;
      if (row.at(metric + "_n") != kSeeds) throw std::runtime_error("a seed is missing");
      out.scalars[std::string("pooled.") + name + "_mean"] = row.at(metric);
      out.scalars[std::string("spatial.") + name + "_mean"] = row.at(metric + "_spatial_mean");
      for (const char* rule : {"pooled.", "spatial."})
        out.not_compared[std::string(rule) + name + "_std"] =
            "the spread of the reference's own seeds; the tolerance is for the mean";
    }
  }
  return out;
}

}  // namespace

void register_faithfulness_table(Kinds& kinds) { kinds.add("digits_table", digits_table); }

}  // namespace conoscope::tests::golden
