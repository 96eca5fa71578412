// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/artifacts/sha256.h"
#include "metrics/summaries/summary.h"
#include "tests/support/capture_binding.h"
#include "tests/support/plan_world.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::left_out_of;
using conoscope::testing::metadata_text;
using conoscope::testing::PlanWorld;
using conoscope::testing::run_file;

namespace {

std::vector<std::string> cell_keys(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& cell : plan.cells) out.push_back(cell.key);
  std::sort(out.begin(), out.end());
  return out;
}

std::size_t count(const Plan& plan, Stage stage) {
  return static_cast<std::size_t>(
      std::count_if(plan.nodes.begin(), plan.nodes.end(),
                    [stage](const Node& node) { return node.stage == stage; }));
}

/// The built-in metrics of a cell.
std::vector<std::string> scores_of(const Plan& plan, std::size_t cell) {
  return plan.nodes[plan.cells[cell].score_nodes[0]].metrics;
}

const std::string kSmall = run_file(
    R"(name = "small"; seeds = [0, 1]; controls = ["none", "random_importance"]; metrics = ["surf_mae", "surf_emd"])",
    {"labelled"}, {"head"}, {"km; params = { k = [2, 3] }"});

}  // namespace

TEST_CASE("the keys of a small plan are frozen: results of yesterday are found by them") {
  // A change of any of these orphans every stored attempt and every cached artifact. It must be
  // meant, and come with a new version of whatever has changed. The values were made by a second
  // implementation, in Python, of the fields below, SHA-256 and SplitMix64.
  const PlanWorld world;
  const Plan plan = world.plan(kSmall);
  REQUIRE(plan.datasets.size() == 1);
  CHECK(plan.datasets[0].key == "f7a9a036eaad2041299c348a711108c4");
  CHECK(plan.models[0].key == "1cc459748283d500be0a0d3b61168c15");
  REQUIRE(plan.explainers.size() == 2);
  CHECK(plan.explainers[0].key == "ad947f1609ada52be39d796de01e43c2");
  CHECK(plan.explainers[1].key == "8d10704ae8d4dc16903d8ced800ee3e8");
  REQUIRE(plan.cells.size() == 8);
  CHECK(plan.cells[0].key == "dcb29a1530c8abefbdbc23d0b9f35628");
  CHECK(plan.cells[3].key == "8b0ac53bf4ddedbed223b015bf125dd7");
  CHECK(plan.cells[7].key == "794d316455294149bd135e6a39c719da");
  CHECK(plan.cells[3].control_seed == 0x9874848abb2d7d09ULL);
  CHECK(plan.run_key == "5ec69461af4a416727669c312ae04498");
  // Artifacts are those of a plugin's file, which is another one for another processor.
#if defined(__aarch64__)
  CHECK(plan.nodes[0].identity == "f7b54f0b6f3a1e68a6e3fdf46ec98c41");
  CHECK(plan.nodes[1].identity == "947908067c8a2d6a8784541082fa8363");
  CHECK(plan.nodes[2].identity == "bddd82a982a55acd4c4eca8bf74ddb9b");
#else
  CHECK(plan.nodes[0].identity == "8d47ef0dd779a846477f65bf17e6069e");
  CHECK(plan.nodes[1].identity == "8a27333617db9dd504e250d3bb8b940e");
  CHECK(plan.nodes[2].identity == "ca580625e5879113bda6cd301c8f1131");
#endif
  CHECK(plan.nodes[0].seed == 0x32021b1e6d99abeULL);
  CHECK(plan.nodes[1].seed == 0x67fea81a7aa0dd3dULL);
  CHECK(plan.nodes[2].seed == 0x63a13c71b7e89204ULL);
  CHECK(plan.nodes[3].seed == 0x3070b39a86af5798ULL);
}

TEST_CASE("what several cells need is one node") {
  const PlanWorld world;
  const Plan plan = world.plan(kSmall);
  CHECK(plan.cells.size() == 2 * 2 * 2);
  CHECK(count(plan, Stage::kDataset) == 2);  // a seed each
  CHECK(count(plan, Stage::kModel) == 2);
  CHECK(count(plan, Stage::kExplain) == 4);  // two k, two seeds; a control needs no fit of its own
  CHECK(count(plan, Stage::kScore) == 8);
}

TEST_CASE("a component without randomness is made once for all seeds") {
  const PlanWorld world;
  std::string text = kSmall;
  text.replace(text.find("labelled"), 8, "fixed");
  const Plan plan = world.plan(text);
  CHECK(count(plan, Stage::kDataset) == 1);
  CHECK(count(plan, Stage::kModel) == 2);
  CHECK(plan.cells.size() == 8);
}

TEST_CASE("two readouts of a model are two cells of one network, drawn and judged alike") {
  const PlanWorld world;
  world.plugin("model", "network",
               "offers = [\"head_view\"]\nreadouts = { scored = \"k\" }\n[parameters.scored]\n"
               "type = \"integer\"\n[parameters.k]\ntype = \"integer\"\ndefault = 0\n");
  const auto seeds_of = [&](const std::string& params) {
    const Plan plan = world.plan(run_file(R"(metrics = ["surf_mae"])", {"labelled"},
                                          {"network; params = " + params}, {"km"}));
    REQUIRE(plan.cells.size() == 2);
    REQUIRE(count(plan, Stage::kModel) == 2);
    std::map<Stage, std::set<std::uint64_t>> out;
    for (const auto& node : plan.nodes) out[node.stage].insert(node.seed);
    return out;
  };
  for (const auto& [stage, seeds] : seeds_of("{ scored = [0, 1], k = 2 }"))
    CHECK(seeds.size() == 1);
  CHECK(seeds_of("{ scored = 0, k = [2, 3] }").at(Stage::kModel).size() == 2);
}

TEST_CASE("nodes stand in topological order, and cells know theirs") {
  const PlanWorld world;
  const Plan plan = world.plan(kSmall);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    for (const std::size_t need : plan.nodes[i].needs) {
      CHECK(need < i);
      CHECK(plan.nodes[need].stage < plan.nodes[i].stage);
    }
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    REQUIRE(plan.cells[c].score_nodes.size() == 1);
    const Node& node = plan.nodes[plan.cells[c].score_nodes[0]];
    CHECK(node.stage == Stage::kScore);
    CHECK(node.cell == c);
    REQUIRE(node.needs.size() == 3);
    CHECK(plan.nodes[node.needs[0]].component == plan.cells[c].dataset);
    CHECK(plan.nodes[node.needs[1]].component == plan.cells[c].model);
    CHECK(plan.nodes[node.needs[2]].component == plan.cells[c].explainer);
  }
}

TEST_CASE("identity and seeds do not depend on the order of the run file") {
  const PlanWorld world;
  const Plan plan = world.plan(kSmall);
  const Plan other = world.plan(R"(name = "small"
metrics = ["surf_emd", "surf_mae"]
controls = ["random_importance", "none"]
seeds = [1, 0]
[[explainer]]
id = "km"
params = { k = 3 }
[[explainer]]
id = "km"
params = { k = 2 }
[[model]]
id = "head"
[[dataset]]
id = "labelled"
)");
  CHECK(cell_keys(plan) == cell_keys(other));
  CHECK(plan.run_key == other.run_key);
  std::map<std::string, std::uint64_t> seeds, others;
  for (const auto& node : plan.nodes) seeds[node.key] = node.seed;
  for (const auto& node : other.nodes) others[node.key] = node.seed;
  CHECK(seeds == others);
  // More seeds and metrics leave the cells that are there alone, but it is another run.
  std::string more = kSmall;
  more.replace(more.find("[0, 1]"), 6, "[0, 1, 2]");
  const Plan larger = world.plan(more);
  const auto keys = cell_keys(larger);
  for (const auto& key : cell_keys(plan)) CHECK(std::binary_search(keys.begin(), keys.end(), key));
  CHECK(larger.run_key != plan.run_key);
}

TEST_CASE("two versions of an explainer draw the same, and are different cells") {
  const PlanWorld world;
  const auto plan_of = [&world](const std::string& version) {
    world.scratch.write("plugins/km.so", conoscope::testing::fake_plugin(metadata_text(
                                             "explainer", "km", PlanWorld::kKm, version)));
    return world.plan(kSmall);
  };
  const auto draws = [](const Plan& plan) {
    std::vector<std::uint64_t> out;
    for (const auto& cell : plan.cells) out.push_back(cell.control_seed);
    for (const auto& node : plan.nodes) out.push_back(node.seed);
    return out;
  };
  const Plan first = plan_of("1.0.0"), later = plan_of("1.2.3"), next = plan_of("2.0.0");
  CHECK(draws(first) == draws(later));
  for (std::size_t i = 0; i < first.cells.size(); ++i) {
    CHECK(first.cells[i].key != later.cells[i].key);
    CHECK(first.cells[i].control_seed != next.cells[i].control_seed);
  }
  REQUIRE(first.nodes.size() == next.nodes.size());
  for (std::size_t i = 0; i < first.nodes.size(); ++i) {
    const Node &a = first.nodes[i], &b = later.nodes[i], &c = next.nodes[i];
    if (a.stage == Stage::kDataset || a.stage == Stage::kModel) {
      CHECK(a.key == b.key);
      CHECK(a.seed == c.seed);
    } else {
      CHECK(a.key != b.key);
      CHECK((a.seed == c.seed) == (a.stage == Stage::kScore));  // one seed for all explanations
    }
  }
}

TEST_CASE("two versions of a dataset or a model do not draw the same: these are other data") {
  for (const char* kind : {"dataset", "model"}) {
    const PlanWorld world;
    const Plan first = world.plan(kSmall);
    const bool data = std::string(kind) == "dataset";
    world.scratch.write(
        data ? "plugins/labelled.so" : "plugins/head.so",
        conoscope::testing::fake_plugin(metadata_text(
            kind, data ? "labelled" : "head",
            data ? "offers = [\"labels\"]\n" : "offers = [\"head_view\"]\n", "1.0.1")));
    const Plan later = world.plan(kSmall);
    REQUIRE(later.nodes.size() == first.nodes.size());
    for (std::size_t i = 0; i < first.nodes.size(); ++i)
      CHECK((first.nodes[i].seed == later.nodes[i].seed) ==
            (!data && first.nodes[i].stage == Stage::kDataset));
  }
}

TEST_CASE("seeds differ between stages, seeds, components and controls") {
  const PlanWorld world;
  const Plan plan = world.plan(kSmall);
  std::set<std::uint64_t> artifacts, controls;
  for (const auto& node : plan.nodes)
    if (node.stage != Stage::kScore) artifacts.insert(node.seed);
  CHECK(artifacts.size() == 8);
  for (const auto& cell : plan.cells) controls.insert(cell.control_seed);
  CHECK(controls.size() == plan.cells.size());
}

TEST_CASE("all explanations of a model are judged under the same draws") {
  const PlanWorld world;
  const Plan plan = world.plan(run_file(
      R"(seeds = [0, 1]; controls = ["none", "random_importance"]; metrics = ["surf_mae"])",
      {"labelled", "fixed"}, {"head", "supervised"}, {"km; params = { k = [2, 3] }"},
      {"sparsity"}));
  // What a score may depend on: dataset, model, seed, and which metrics are computed.
  std::map<std::string, std::set<std::uint64_t>> drawn;
  std::size_t scores = 0;
  for (const auto& cell : plan.cells)
    for (const std::size_t index : cell.score_nodes) {
      const Node& node = plan.nodes[index];
      drawn[cell.dataset->id + " " + cell.model->id + " " + std::to_string(cell.seed) + " " +
            node.label]
          .insert(node.seed);
      ++scores;
    }
  REQUIRE(scores == 2 * 2 * 2 * 2 * 2 * 2);  // ... by explainers and controls
  CHECK(drawn.size() == 16);
  std::set<std::uint64_t> all;
  for (const auto& [what, seeds] : drawn) {
    CAPTURE_BINDING(what);
    CHECK(seeds.size() == 1);
    all.insert(seeds.begin(), seeds.end());
  }
  CHECK(all.size() == 16);
}

TEST_CASE("the same component twice is one cell, and under two names refused") {
  const PlanWorld world;
  const std::string text = run_file(R"(metrics = ["surf_mae"])", {"labelled"}, {"head"},
                                    {"km", "km; params = { k = 5 }"});
  CHECK(world.plan(text).cells.size() == 1);
  CHECK_THROWS_SAYING(world.plan(text + "name = \"the default, written out\"\n"), RunFileError,
                      ":8:1: error: km and the default, written out are one explainer: the same "
                      "plugin with the same parameters and files, which has one place on a board; "
                      "leave one of them out");
}

TEST_CASE("a pair that does not fit is left out and said, with what is missing") {
  const PlanWorld world;
  const Plan plan =
      world.plan(run_file(R"(metrics = ["surf_mae", "surf_norm_l1"])", {"labelled", "bare"},
                          {"head", "encoder", "supervised"}, {"km"}));
  // bare has no labels: no supervised model, no metric that needs them. encoder has no head view.
  CHECK(plan.skipped == std::vector<std::string>{"labelled x encoder x km: missing head_view",
                                                 "bare x head x km x surf_norm_l1: missing labels",
                                                 "bare x encoder x km: missing head_view",
                                                 "bare x supervised: missing labels"});
  REQUIRE(plan.cells.size() == 3);
  CHECK(scores_of(plan, 0) == std::vector<std::string>{"surf_mae", "surf_norm_l1"});
  CHECK(plan.cells[0].not_applicable.empty());
  CHECK(plan.cells[2].label() == "bare x head x km #0");
  CHECK(scores_of(plan, 2) == std::vector<std::string>{"surf_mae"});
  CHECK(left_out_of(plan.cells[2]) == std::vector<std::string>{"surf_norm_l1: missing labels"});
}

TEST_CASE("a view of the dataset is not the model's") {
  const PlanWorld world;
  // "with_head" brings the arrays of a head view; only a model offers it.
  const Plan plan =
      world.plan(run_file(R"(metrics = ["surf_mae"])", {"with_head"}, {"encoder"}, {"km"}));
  CHECK(plan.cells.empty());
  CHECK(plan.skipped == std::vector<std::string>{"with_head x encoder x km: missing head_view"});
}

TEST_CASE("a model is judged without explainer when a metric asks nothing of explanations") {
  const PlanWorld world;
  const Plan plan =
      world.plan(run_file(R"(metrics = ["surf_mae"]; controls = ["none", "random_importance"])",
                          {"labelled"}, {"head"}, {"km"}, {"accuracy", "sparsity"}));
  REQUIRE(plan.cells.size() == 3);
  const Cell& alone = plan.cells[0];
  CHECK(alone.explainer == nullptr);
  CHECK(alone.control == "none");  // nothing to randomise
  CHECK(alone.label() == "labelled x head #0");
  CHECK(plan.nodes[alone.score_nodes[0]].metrics == std::vector<std::string>{"accuracy"});
  const std::string model = "it judges explanations, and this is the model itself";
  CHECK(left_out_of(alone) == std::vector<std::string>{"surf_mae: " + model, "sparsity: " + model});
  REQUIRE(alone.score_nodes.size() == 1);
  CHECK(plan.nodes[alone.score_nodes[0]].component->id == "accuracy");
  CHECK(plan.nodes[alone.score_nodes[0]].needs.size() == 2);
  const Cell& explained = plan.cells[1];
  CHECK(explained.explainer->id == "km");
  CHECK(
      left_out_of(explained) ==
      std::vector<std::string>{"accuracy: it judges the model itself, and this is an explanation"});
  CHECK(explained.score_nodes.size() == 2);  // the built-in metrics, and sparsity
  CHECK(plan.metrics == std::vector<std::string>{"surf_mae", "accuracy", "sparsity"});
  // With another file a metric may fit: its score is not done either where it does not judge. Others do
  // not rest on that file.
  for (const Cell& cell : plan.cells) {
    CHECK(plan.binaries_of(cell, {"accuracy"}).find("; accuracy ") != std::string::npos);
    CHECK(plan.binaries_of(cell, {"surf_mae"}) == cell.binaries);
    CHECK(cell.binaries.find("accuracy") == cell.binaries.npos);
  }
}

TEST_CASE("a metric in quarantine is asked of the cells that it would judge, which then fail") {
  const PlanWorld world;
  const std::string hash = sha256_of_file(world.scratch.path("plugins/accuracy.so"));
  world.scratch.write("quarantine.tsv", hash + "\tit crashed\n");
  const Plan plan = world.plan(
      run_file(R"(metrics = ["surf_mae"])", {"labelled"}, {"head"}, {"km"}, {"accuracy"}));
  REQUIRE(plan.cells.size() == 2);
  REQUIRE(plan.cells[0].score_nodes.size() == 1);
  const Component* metric = plan.nodes[plan.cells[0].score_nodes[0]].component;
  CHECK(metric->id == "accuracy");
  CHECK_FALSE(metric->usable());
  CHECK(left_out_of(plan.cells[0]).size() == 1);  // surf_mae
  CHECK(plan.cells[1].explainer->id == "km");
  CHECK(plan.cells[1].score_nodes.size() == 1);
}

TEST_CASE(
    "a metric that cannot be read fails the explanations, or the models of a run without any") {
  const PlanWorld world;
  const std::string old = conoscope::testing::metadata_text("metric", "old");
  REQUIRE(old.starts_with("abi = \"2.0\""));
  for (const std::string& text :
       {std::string("abi = "), "abi = \"1.0\"" + old.substr(std::string("abi = \"2.0\"").size())}) {
    CAPTURE(text);
    world.scratch.write("unread.so", conoscope::testing::fake_plugin(text));
    const std::string models =
        "metrics = [\"surf_mae\"]\n[[metric]]\nfile = \"unread.so\"\n[[dataset]]\nid = "
        "\"labelled\"\n"
        "[[model]]\nid = \"head\"\n";
    const auto refused = [](const Plan& plan, const Cell& cell) {
      return std::ranges::any_of(cell.score_nodes, [&](const auto node) {
        return plan.nodes[node].component != nullptr && !plan.nodes[node].component->usable();
      });
    };
    const Plan alone = world.plan(models);
    REQUIRE(alone.cells.size() == 1);
    CHECK(refused(alone, alone.cells[0]));
    const Plan explained = world.plan(models + "[[explainer]]\nid = \"km\"\n");
    REQUIRE(explained.cells.size() == 1);
    CHECK(explained.cells[0].explainer != nullptr);
    CHECK(refused(explained, explained.cells[0]));
  }
}

TEST_CASE("without a list every built-in metric is asked for, and a group stands for its metrics") {
  const PlanWorld world;
  const std::string parts = run_file("", {"labelled"}, {"head"});
  const auto& catalogue = conoscope::metrics::catalogue();
  const auto on_request = static_cast<std::size_t>(
      std::ranges::count_if(catalogue.metrics(), [](const auto& m) { return m.on_request; }));
  CHECK(on_request > catalogue.select("input_attacks").size());
  const std::size_t usual = catalogue.metrics().size() - on_request;
  const auto summaries = static_cast<std::size_t>(std::ranges::count_if(
      conoscope::metrics::summaries(), [](const auto& one) { return one.of_metric.empty(); }));
  CHECK(world.plan(parts).metrics.size() == usual);
  CHECK(world.plan("summaries = true\n" + parts).metrics.size() == usual + summaries);
  const std::size_t surf = catalogue.select("surf").size();
  CHECK(world.plan("metrics = [\"surf\"]\nsummaries = true\n" + parts).metrics.size() ==
        surf + summaries);
  // matched_concepts goes with stability.
  CHECK(world.plan("metrics = [\"surf\", \"stability\"]\nsummaries = true\n" + parts)
            .metrics.size() == surf + 1 + summaries + 1);
  CHECK(world.plan("metrics = [\"surf\", \"surf_mae\"]\n" + parts).metrics.size() ==
        catalogue.select("surf").size());
}

TEST_CASE("an explanation is judged like an encoder where the model is none itself") {
  const PlanWorld world;
  const Plan plan = world.plan(run_file(R"(metrics = ["spread"])", {"labelled", "bare"},
                                        {"head", "encoder"}, {"km"}, {"spread"}));
  std::vector<std::string> labels;
  for (const auto& cell : plan.cells) labels.push_back(cell.label());
  CHECK(labels == std::vector<std::string>{"labelled x head x km #0", "labelled x encoder #0"});
}

TEST_CASE("a list that names a plugin's score alone leaves the built-in metrics out") {
  const PlanWorld world;
  const std::string parts = run_file("", {"labelled"}, {"head"}, {"km"}, {"sparsity"});
  const Plan plan = world.plan("metrics = [\"sparsity\"]\n" + parts);
  CHECK(plan.metrics == std::vector<std::string>{"sparsity"});
  REQUIRE(plan.cells.size() == 1);
  REQUIRE(plan.cells[0].score_nodes.size() == 1);
  CHECK(plan.nodes[plan.cells[0].score_nodes[0]].component->id == "sparsity");
  CHECK_THROWS_SAYING(world.plan("metrics = [\"sparsty\"]\n" + parts), RunFileError,
                      "no metric sparsty (did you mean sparsity?)");
}

TEST_CASE("mistakes in parts and metrics come together") {
  const PlanWorld world;
  CHECK_THROWS_SAYING(
      world.plan(run_file(R"(metrics = ["surf_mea"])", {"labeled"}, {"head; params = { k = 1 }"})),
      RunFileError, ":1:12: error: no metric surf_mea (did you mean surf_mae?)",
      ":2:1: error: no dataset labeled (did you mean labelled?)",
      ":6:12: error: head: takes no parameters, so no k");
  CHECK_THROWS_SAYING(
      world.plan(run_file(R"(metrics = ["surf_mae"])", {"labelled"}, {"head"}, {}, {"rival"})),
      RunFileError, "metric surf_mae of ", "rival.so is already there");
}

TEST_CASE("two different components under one name could not be told apart on a board") {
  const PlanWorld world;
  const std::string text = run_file(R"(metrics = ["surf_mae"])", {"labelled"}, {"head"},
                                    {R"(km; name = "x")", R"(km; params = { k = 2 }; name = "x")"});
  CHECK_THROWS_SAYING(
      world.plan(text), RunFileError,
      ":9:1: error: another explainer is already named x; give this one a name of its own");
}

TEST_CASE("a refused plugin keeps its cells, so that they fail by name") {
  const PlanWorld world;
  world.scratch.write("broken.so", conoscope::testing::fake_plugin("abi = "));
  const Plan plan = world.plan(
      "metrics = [\"surf_mae\"]\n[[dataset]]\nid = \"labelled\"\n"
      "[[model]]\nid = \"head\"\n[[explainer]]\nfile = \"broken.so\"\n");
  REQUIRE(plan.cells.size() == 1);
  CHECK(plan.cells[0].label() == "labelled x head x broken #0");
  CHECK(scores_of(plan, 0) == std::vector<std::string>{"surf_mae"});
  CHECK(plan.skipped.empty());
}

TEST_CASE("a rebuilt plugin has the same cells, but other artifacts and binaries") {
  const PlanWorld world;
  const Plan before = world.plan(kSmall);
  world.plugin("explainer", "km", PlanWorld::kKm + std::string("help = \"new words\"\n"));
  const Plan after = world.plan(kSmall);
  CHECK(cell_keys(before) == cell_keys(after));
  CHECK(before.run_key == after.run_key);
  CHECK(before.cells[0].binaries != after.cells[0].binaries);
  std::set<std::string> artifacts;
  for (const auto* plan : {&before, &after})
    for (const auto& node : plan->nodes)
      if (node.stage != Stage::kScore) artifacts.insert(node.key);
  CHECK(artifacts.size() == 4 + 4 + 4);  // the explanations twice
}

TEST_CASE("20,000 cells are planned, each and each node once") {
  const PlanWorld world;
  std::string text = "metrics = [\"surf\"]\nseeds = [";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + ", ";
  text +=
      "]\n[[dataset]]\nid = \"bare\"\n[[model]]\nid = \"head\"\n[[explainer]]\nid = \"km\"\n"
      "params.k = [";
  for (int i = 1; i <= 200; ++i) text += std::to_string(i) + ", ";
  text += "]\n";
  const Plan plan = world.plan(text);
  CHECK(plan.cells.size() == 20000);
  CHECK(plan.nodes.size() == 100 + 100 + 20000 + 20000);
}

TEST_CASE("20,000 components that do not fit are each said once") {
  const PlanWorld world;
  std::string text =
      "metrics = [\"surf_mae\"]\n[[dataset]]\nid = \"bare\"\n[[model]]\n"
      "id = \"encoder\"\n[[explainer]]\nid = \"km\"\nparams.k = [";
  for (int i = 1; i <= 20000; ++i) text += std::to_string(i) + ", ";
  text += "]\n";
  const Plan plan = world.plan(text);
  CHECK(plan.skipped.size() == 20000);
}

TEST_CASE("models and explainers may keep to some of the datasets") {
  const PlanWorld world;
  std::string text = kSmall;
  text.insert(text.find("[[model]]"), "[[dataset]]\nid = \"fixed\"\nname = \"mine\"\n");
  const auto met = [&](const std::string& model_line, const std::string& explainer_line) {
    std::string asked = text;
    asked.insert(asked.find("id = \"head\"\n") + 12, model_line);
    const Plan plan = world.plan(asked + explainer_line);
    std::set<std::string> out;
    for (const auto& cell : plan.cells) out.insert(cell.dataset->name);
    return out;
  };
  CHECK(met("", "") == std::set<std::string>{"labelled", "mine"});
  CHECK(met("datasets = [\"mine\"]\n", "") == std::set<std::string>{"mine"});
  CHECK(met("datasets = [\"fixed\"]\n", "") == std::set<std::string>{"mine"});  // by plugin id
  CHECK(met("", "datasets = [\"labelled\"]\n") == std::set<std::string>{"labelled"});
  CHECK_THROWS_SAYING(met("datasets = [\"mime\"]\n", ""), RunFileError,
                      ": error: there is no dataset mime (did you mean mine?)");
}
