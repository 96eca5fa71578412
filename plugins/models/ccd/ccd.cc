// SPDX-License-Identifier: Apache-2.0
// Completeness-aware concept discovery (Yeh et al., NeurIPS 2020): directions in a trained
// network's features that suffice to answer the task.
//
//   1. x -> encoder -> phi -> head -> task, trained and then left alone
//   2. s_j = <phi / |phi|, c_j>, 0 where not above `threshold`, all divided by their norm; or <phi, c_j>
//      where that is above it, divided by their sum + 1e-5
//      g(s) -> phi^, head(phi^) -> task: c_j of length 1 and g are learnt by
//      task - nearness * R1 + distinctness * R2
//      R1: mean <phi / |phi|, c_j> of the `neighbours` samples of a batch that are nearest to c_j
//      R2: mean <c_i, c_j> over pairs, or over all k^2 entries of C C^T - I

#include <torch/torch.h>

#include "conoscope/sdk/model.h"
#include "plugins/models/ccd/topics.h"
#include "plugins/models/common/torch/concept_model.h"
#include "plugins/models/common/torch/optimise.h"
#include "plugins/models/common/torch/training.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

/// From concept scores to the task: g and the head above it.
class Answer {
 public:
  Answer(Weights& weights, std::int64_t concepts, std::int64_t mapping_hidden, std::int64_t latent,
         const TaskHead& head)
      : mapping_(weights, "mapping", {concepts, mapping_hidden, latent}), head_(head) {}

  Tensor operator()(const Tensor& scores) const { return head_(mapping_(scores)); }
  Tensor exact(const Tensor& scores) const {
    return head_.answer(mapping_.in_double()(scores.to(torch::kFloat64).flatten(1)));
  }

 private:
  Mlp mapping_;
  const TaskHead& head_;
};

constexpr auto kParameters = sdk::parameters(
    sdk::integer("concepts", 0)
        .between(0, 4096)
        .counts_concepts()
        .help("how many to discover; 0: as many as the dataset annotates"),
    sdk::integer("latent", 64).between(1, 4096).help("width of the network's features phi"),
    sdk::integer("mapping_hidden", 500)
        .between(1, 4096)
        .help("hidden units of g, from concept scores back to features"),
    sdk::integer("neighbours", 8)
        .between(1, 65536)
        .help("samples of a batch that a concept is to be near to; ours: the published code has "
              "32, 16 or 2"),
    sdk::real("threshold", 0.0)
        .between(0.0, 1.0)
        .help("concept scores that are not above it are 0"),
    sdk::real("nearness", 0.1)
        .between(0.0, 1e6)
        .help("lambda_1, weight of R1: concepts near to samples"),
    sdk::real("distinctness", 0.1)
        .between(0.0, 1e6)
        .help("lambda_2, weight of R2: concepts far from each other"),
    sdk::text("score_scale", "norm")
        .choices({"norm", "sum"})
        .help("what concept scores are divided by: their norm, or as in the published code the sum "
              "of "
              "their products with features that are not brought to length 1"),
    sdk::text("distinctness_over", "pairs")
        .choices({"pairs", "entries"})
        .help("R2 is the mean over pairs of concepts, or as in the published code over all entries "
              "of "
              "their products less the identity"),
    sdk::integer("discovery_epochs", 0)
        .between(0, 100000)
        .help("of the second part; 0: as many as `epochs`"),
    kEncoderParameters, kHeadParameters, optimise_parameters(100, 32));

class Ccd final : public sdk::Model, public sdk::Intervene {
 public:
  explicit Ccd(const sdk::ParamsOf<kParameters>& params)
      : concepts_(params.integer("concepts")),
        latent_(params.integer("latent")),
        mapping_hidden_(params.integer("mapping_hidden")),
        neighbours_(params.integer("neighbours")),
        threshold_(params.real("threshold")),
        nearness_(params.real("nearness")),
        distinctness_(params.real("distinctness")),
        scale_(params.text("score_scale") == "norm" ? TopicScale::kNorm : TopicScale::kSum),
        over_entries_(params.text("distinctness_over") == "entries"),
        discovery_epochs_(params.integer("discovery_epochs")),
        encoder_(read_encoder_layers(params)),
        head_(TaskHead::read_layers(params)),
        options_(read_optimise_options(params)) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const ConceptData data = read_concept_data(dataset, /*concepts_needed=*/concepts_ == 0);
    const std::int64_t concepts = concepts_ > 0 ? concepts_ : data.concepts.size(1);
    Weights below(context.seed().child("encoder")), above(context.seed().child("head")),
        found(context.seed().child("concepts"));
    const Encoder encoder(below, "encoder", data.inputs.index_select(0, data.train), encoder_,
                          latent_);
    TaskHead head(above, latent_, head_, data.objective.outputs);
    const Rows rows = hold_out(data.train, options_, context.seed());

    const Loss of_network = [&](const Tensor& batch, sdk::Random* random) {
      const Tensor phi = encoder(data.inputs.index_select(0, batch), random != nullptr);
      return data.objective.loss(head(phi), batch);
    };
    optimise(below.with(above), of_network, rows, options_, context,
             context.seed().child("network"), {0.0, 0.5});
    const Tensor phi = for_all(data.inputs, context,
                               [&](const Tensor& x) { return encoder(x, /*training=*/false); });

    const Tensor directions = found.matrix("directions", {concepts, latent_}, 1.0);
    const Answer answer(found, concepts, mapping_hidden_, latent_, head);
    const Tensor near = unit_rows(phi), lengths = phi.norm(2, {1}, /*keepdim=*/true);
    const Loss of_concepts = [&](const Tensor& batch, sdk::Random*) {
      const Tensor c = unit_rows(directions);
      const Tensor cosines = near.index_select(0, batch).matmul(c.t());
      Tensor total = data.objective.loss(
          answer(topic_scores(cosines, lengths.index_select(0, batch), threshold_, scale_)), batch);
      total = total - nearness_ * nearness(cosines, std::min(neighbours_, batch.size(0)));
      if (concepts > 1) total = total + distinctness_ * overlap(c, over_entries_);
      return total;
    };
    OptimiseOptions discovery = options_;
    if (discovery_epochs_ > 0) discovery.epochs = discovery_epochs_;
    optimise(found, of_concepts, rows, discovery, context, context.seed().child("discovery"),
             {0.5, 1.0});
    head.restore_units(data.objective);

    const torch::NoGradGuard no_grad;
    const Tensor exact = phi.to(torch::kFloat64);
    ConceptTensors view;
    view.probabilities =
        topic_scores(unit_rows(exact).matmul(unit_rows(directions.to(torch::kFloat64)).t()),
                     exact.norm(2, {1}, /*keepdim=*/true), threshold_, scale_);
    view.scores = view.probabilities.unsqueeze(2);
    view.outputs = answer.exact(view.scores);
    report_accuracy("ccd", data, view, /*annotated=*/false, context, out);
    report_completeness(data, view, head.answer(phi), context, out);
    write_concept_view(out, view);
    above.write(out);
    found.write(out);
  }

  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Context&,
                 std::span<double> outputs) override {
    make_repeatable();
    answer_intervention(model, concepts, outputs, [&](const Tensor& edited) {
      Weights weights(model);
      const TaskHead head(weights, latent_, head_, model.get("task_outputs").shape(1));
      return Answer(weights, edited.size(1), mapping_hidden_, latent_, head).exact(edited);
    });
  }

 private:
  /// How much of what the network knows beyond chance do the concepts keep?
  ///   (accuracy of the concepts - 1/C) / (accuracy of the network - 1/C), on the test split
  static void report_completeness(const ConceptData& data, const ConceptTensors& view,
                                  const Tensor& network, const sdk::Context& context,
                                  sdk::Sink& out) {
    if (data.objective.task != Task::kClassification) return;
    const double chance = 1.0 / static_cast<double>(data.objective.outputs);
    const auto accuracy = [&](const Tensor& outputs) {
      return data.objective.score(outputs.index_select(0, data.test), data.test);
    };
    const double whole = accuracy(network);
    if (whole <= chance) return;  // there is nothing to keep
    report_score("ccd", "test_completeness", (accuracy(view.outputs) - chance) / (whole - chance),
                 context, out);
  }

  std::int64_t concepts_, latent_, mapping_hidden_, neighbours_;
  double threshold_, nearness_, distinctness_;
  TopicScale scale_;
  bool over_entries_;
  std::int64_t discovery_epochs_;
  EncoderLayers encoder_;
  TaskHead::Layers head_;
  OptimiseOptions options_;
};

}  // namespace

CONOSCOPE_MODEL(Ccd, "ccd", "1.1.0", R"(
summary = "completeness-aware concept discovery: directions in a network's features that suffice to answer its task"
licence = "Apache-2.0"
citation = "Yeh et al., On Completeness-aware Concept-Based Explanations in Deep Neural Networks, NeurIPS 2020; epochs, batches, rate, threshold and both lambdas as in Espinosa Zarlenga et al., AAAI 2023"
needs = ["inputs"]
offers = ["concept_view"]
seeded = true
added = ["encoder", "resnet_blocks", "resnet_width", "score_scale", "distinctness_over", "discovery_epochs"]
)",
                kParameters)
