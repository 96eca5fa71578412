// SPDX-License-Identifier: Apache-2.0
// C-SHAP: concept vectors learnt for all outputs together, so that their scores alone let a small
// network rebuild the activations. An output's concepts are those of largest Shapley value in the
// game "how many of the output's samples keep their prediction".

#include <algorithm>
#include <cmath>

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/c_shap/concept_shap.h"
#include "plugins/explainers/c_shap/shapley.h"
#include "plugins/explainers/class_rows.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace numerics = conoscope::numerics;
using numerics::Index;

constexpr Index kEnumerated = 12;  // up to that many concepts all coalitions are tried

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help(
        "concepts per output: of those that are learnt, the ones of largest |phi|"),
    sdk::integer("concepts", 100)
        .at_least(1)
        .help("concept vectors that are learnt, before duplicates are removed"),
    sdk::real("beta", 0.2)
        .between(0, 0.999)
        .help("a score counts where the cosine exceeds it; published for toy data, 0 or 0.5 for "
              "images"),
    sdk::real("lambda1", 0.1)
        .at_least(0)
        .help(
            "weight of the pull of a concept towards its nearest positions; published for toy data "
            "and text, 10 for images"),
    sdk::real("lambda2", 0.1)
        .at_least(0)
        .help("weight of the push of concepts away from each other; published as lambda1"),
    sdk::integer("top", 32).at_least(1).help("nearest positions per concept and batch that lambda1 "
                                             "pulls towards; published for toy data, 2 for images"),
    sdk::integer("hidden", 500)
        .at_least(1)
        .help("hidden units of the network that rebuilds activations from scores"),
    sdk::integer("epochs", 60)
        .between(1, conoscope::explainers::kMostInt)
        .help("passes over the training samples; stated nowhere"),
    sdk::integer("batch", 64)
        .at_least(1)
        .help("samples per step; stated nowhere, 64 agrees with the reference digits table"),
    sdk::real("learning_rate", 0.001).at_least(0).help("Adam's rate"),
    sdk::real("duplicate", 0.95)
        .between(0.01, 1.0)
        .help("a concept whose cosine with an earlier one exceeds it is a duplicate"),
    sdk::integer("coalitions", 0)
        .at_least(0)
        .help("coalitions drawn for KernelSHAP; 0: 2 M + 2048. Up to 12 concepts all are "
              "enumerated"));

class CShap final : public sdk::Explainer {
 public:
  explicit CShap(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")),
        coalitions_(params.integer("coalitions")),
        duplicate_(params.real("duplicate")) {
    options_.concepts = params.integer("concepts");
    options_.hidden = params.integer("hidden");
    options_.epochs = static_cast<int>(params.integer("epochs"));
    options_.batch = params.integer("batch");
    options_.learning_rate = params.real("learning_rate");
    options_.loss.beta = params.real("beta");
    options_.loss.similarity_weight = params.real("lambda1");
    options_.loss.distinct_weight = params.real("lambda2");
    options_.loss.top = params.integer("top");
  }

  void fit(const sdk::HeadView& view, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    conoscope::explainers::refuse_flattened(view, "c_shap");
    if (view.output() == "regression")
      throw sdk::NotApplicable("c_shap: completeness is an accuracy, a regression has none");
    const Index n = view.samples(), positions = view.positions(), outputs = view.outputs();
    const numerics::RowSource x = conoscope::explainers::position_rows(view.activations());
    methods::FrozenHead<float> head;
    head.weight = sdk::to_matrix(view.weight()).cast<float>();
    head.bias = sdk::to_matrix(view.bias()).col(0).cast<float>();
    head.sigmoid = view.output() == "sigmoid";
    methods::Coalitions targets = methods::Coalitions::Zero(n, outputs);
    const auto members = conoscope::explainers::members_by_output(view);
    for (Index c = 0; c < outputs; ++c)
      for (const Index i : members[static_cast<std::size_t>(c)]) targets(i, c) = 1;
    if ((targets.array() == 0).all())
      throw std::domain_error("c_shap: the model predicts no class at all");

    const numerics::Seed seed = context.seed();
    context.check_cancelled();
    const auto model = methods::concept_shap_fit(
        x, positions, targets, head, options_, seed.child("concepts"), [&](int epoch) {
          context.check_cancelled();
          context.progress(0.7 * (epoch + 1) / options_.epochs);
        });

    // A duplicate is no concept of its own: it plays with the one that it repeats, so that all
    // concepts together are still what g was trained on.
    const numerics::Matrix concepts = model.concepts.cast<double>();
    const std::vector<Index> same_as = methods::duplicate_of(concepts, duplicate_);
    std::vector<Index> players, player_of(same_as.size());
    for (std::size_t m = 0; m < same_as.size(); ++m) {
      const auto first = static_cast<std::size_t>(same_as[m]);
      player_of[m] = first == m ? static_cast<Index>(players.size()) : player_of[first];
      if (first == m) players.push_back(static_cast<Index>(m));
    }
    const auto count = static_cast<Index>(players.size());
    const bool enumerate = count <= kEnumerated;
    const Index drawn = coalitions_ > 0 ? coalitions_ : 2 * count + 2048;
    methods::Coalitions game(drawn + 2, count);  // and none, and all
    if (enumerate)
      game = methods::all_coalitions(count);
    else
      game << methods::sample_coalitions(count, drawn, seed.child("coalitions")),
          methods::Coalitions::Zero(1, count), methods::Coalitions::Ones(1, count);
    methods::Coalitions with_duplicates(game.rows(), concepts.rows());
    for (Index m = 0; m < concepts.rows(); ++m)
      with_duplicates.col(m) = game.col(player_of[static_cast<std::size_t>(m)]);

    numerics::MatrixF scores(x.rows(), model.concepts.rows());
    for_each_block(x, positions, [&](Index first, const numerics::Matrix& block) {
      scores.middleRows(first, block.rows()) =
          methods::concept_scores<float>(block.cast<float>(), model.concepts, options_.loss.beta);
    });
    Index done = 0;
    const numerics::Matrix values = methods::coalition_recall(
        scores, positions, model.w1, model.w2, head, targets, with_duplicates, [&] {
          context.check_cancelled();
          context.progress(0.7 + 0.3 * static_cast<double>(++done) / static_cast<double>(n));
        });

    auto completeness = out.create<double>("completeness", {outputs});
    for (Index c = 0; c < outputs; ++c)
      completeness[static_cast<std::size_t>(c)] = values(game.rows() - 1, c);
    conoscope::explainers::explain_members(
        view, context, out, "c_shap", true, [&](Index c, const auto&, const sdk::Matrix&) {
          const numerics::Vector phi =
              enumerate ? methods::shapley_exact(values.col(c))
                        : methods::kernel_shap(game.topRows(drawn), values.col(c).head(drawn),
                                               numerics::Vector::Ones(drawn), values(drawn, c),
                                               values(drawn + 1, c));
          conoscope::explainers::OutputConcepts mine;
          const std::vector<Index> top = largest(phi);
          mine.importance = phi(top);
          mine.cavs.resize(static_cast<Index>(top.size()), view.width());
          for (std::size_t t = 0; t < top.size(); ++t)
            mine.cavs.row(static_cast<Index>(t)) =
                concepts.row(players[static_cast<std::size_t>(top[t])]).normalized();
          return mine;
        });
  }

 private:
  /// The k players of largest |phi|; of equals the first.
  std::vector<Index> largest(const numerics::Vector& phi) const {
    std::vector<Index> order(static_cast<std::size_t>(phi.size()));
    for (std::size_t p = 0; p < order.size(); ++p) order[p] = static_cast<Index>(p);
    std::stable_sort(order.begin(), order.end(),
                     [&phi](Index a, Index b) { return std::abs(phi[a]) > std::abs(phi[b]); });
    order.resize(std::min(order.size(), static_cast<std::size_t>(k_)));
    return order;
  }

  Index k_, coalitions_;
  double duplicate_;
  methods::ConceptShapOptions options_;
};

}  // namespace

CONOSCOPE_EXPLAINER(CShap, "c_shap", "2.0.0", R"toml(
summary = "concepts learnt for completeness; of them, for each output, those of largest Shapley value"
licence = "Apache-2.0"
citation = "Yeh et al., On Completeness-aware Concept-Based Explanations in Deep Neural Networks, NeurIPS 2020"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
