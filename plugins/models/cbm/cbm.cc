// SPDX-License-Identifier: Apache-2.0
// Concept bottleneck models (Koh et al., ICML 2020): the task is answered from the predicted
// concepts alone.
//
//   x -> encoder -> logits l -> bottleneck -> head -> task
//
// encoder      its last layer's outputs may pass an activation and dropout before they are the logits
// bottleneck   soft: sigmoid(l)   logit: l   hard: 1 where sigmoid(l) > 0.5, else 0
// training     joint: both at once, task loss + concept_weight * concept loss
//              sequential: the encoder on concepts, then the head on what the encoder says
//              independent: the encoder on concepts, the head on the annotated concepts

#include <torch/torch.h>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/concept_model.h"
#include "plugins/models/common/torch/optimise.h"
#include "plugins/models/common/torch/training.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

// What an intervention on a logit writes, percentiles over the training split.
constexpr double kInactive = 0.05, kActive = 0.95;

// Of the progress; heads are quickly trained.
constexpr double kEncoderShare = 7.0 / 8.0;

constexpr auto kParameters = sdk::parameters(
    sdk::text("bottleneck", "soft")
        .choices({"hard", "soft", "logit"})
        .help("what the head reads of a concept: 0 or 1, its probability, or its logit"),
    sdk::text("training", "joint")
        .choices({"independent", "sequential", "joint"})
        .help("encoder and head at once; or the encoder first, then the head on annotated "
              "(independent) or predicted (sequential) concepts"),
    sdk::real("concept_weight", 1.0)
        .between(0.0, 1e6)
        .help("lambda of training = joint: the concept loss counts that many times"),
    sdk::integer("head_epochs", 20).between(1, 100000).help("of the head, unless training = joint"),
    sdk::real("head_learning_rate", 0.01)
        .between(1e-8, 10.0)
        .help("of the head, unless training = joint"),
    sdk::text("normalisation", "none")
        .choices({"none", "layer"})
        .help("of the encoder's fully connected hidden layers, before their activation"),
    sdk::text("output_activation", "none")
        .choices({"none", "leaky_relu"})
        .help("of the encoder's output: what comes out is the logit"),
    sdk::real("output_dropout", 0.0)
        .between(0.0, 0.95)
        .help("probability with which a training step sets a logit to 0"),
    sdk::boolean("standardise", true)
        .help("each input column or channel by the training split; false: inputs as they are"),
    sdk::text("initialisation", "he")
        .choices({"he", "torch"})
        .help("of all layers: He's, with biases of 0; or PyTorch's defaults"),
    kLoopParameters,
    sdk::text("validation_rows", "share")
        .choices({"share", "unused"})
        .help("rows that decide when to stop: a share of the training split, or those in neither "
              "part "
              "of the split; none when patience is 0"),
    annotated_parameters(200, 512));

class Cbm final : public AnnotatedModel {
 public:
  explicit Cbm(const sdk::ParamsOf<kParameters>& params)
      : AnnotatedModel(params),
        bottleneck_(params.text("bottleneck")),
        training_(params.text("training")),
        concept_weight_(params.real("concept_weight")),
        output_{params.text("output_activation") == "leaky_relu", params.real("output_dropout")},
        validation_unused_(params.text("validation_rows") == "unused") {
    encoder_.layer_norm = params.text("normalisation") == "layer";
    encoder_.standardise = params.boolean("standardise");
    if (params.text("initialisation") == "torch") initialisation_ = Initialisation::kTorch;
    read_loop_options(params, options_);
    head_options_ = options_;
    head_options_.shuffle = true;
    head_options_.epochs = params.integer("head_epochs");
    head_options_.learning_rate = params.real("head_learning_rate");
    if (encoder_.layer_norm && encoder_.residual)
      throw std::invalid_argument(
          "cbm: encoder = resnet has no fully connected hidden layer, which normalisation = layer "
          "is "
          "for");
    if (bottleneck_ == "hard" && training_ == "joint")
      throw std::invalid_argument(
          "cbm: no gradient passes a hard bottleneck, so training = joint cannot be; choose "
          "independent or sequential");
    if (bottleneck_ == "logit" && training_ == "independent")
      throw std::invalid_argument(
          "cbm: training = independent makes a head for concepts of 0 and 1, which cannot read a "
          "logit bottleneck; choose sequential or joint");
  }

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const ConceptData data = read_data(dataset, context);
    const std::int64_t concepts = data.concepts.size(1);
    Weights encoder_weights(context.seed().child("encoder"), initialisation_);
    const Encoder encoder(encoder_weights, "encoder", data.inputs.index_select(0, data.train),
                          encoder_, concepts);
    Weights head_weights(context.seed().child("head"), initialisation_);
    TaskHead head(head_weights, concepts, head_, data.objective.outputs);
    const Rows rows = rows_of(data, context.seed());

    const auto logits_of = [&](const Tensor& inputs, sdk::Random* random) {
      return output_(encoder(inputs, random != nullptr), random);
    };
    const auto encode = [&](const Tensor& inputs) { return logits_of(inputs, nullptr); };
    const auto concept_loss = [&](const Tensor& logits, const Tensor& batch) {
      return torch::binary_cross_entropy_with_logits(logits, data.concepts.index_select(0, batch));
    };
    if (training_ == "joint") {
      const Loss loss = [&](const Tensor& batch, sdk::Random* random) {
        const Tensor logits = logits_of(data.inputs.index_select(0, batch), random);
        return data.objective.loss(head(pass(logits)), batch) +
               concept_weight_ * concept_loss(logits, batch);
      };
      optimise(encoder_weights.with(head_weights), loss, rows, options_, context,
               context.seed().child("joint"), {0.0, kModelShare});
    } else {
      const Loss of_encoder = [&](const Tensor& batch, sdk::Random* random) {
        return concept_loss(logits_of(data.inputs.index_select(0, batch), random), batch);
      };
      optimise(encoder_weights, of_encoder, rows, options_, context,
               context.seed().child("encoder"), {0.0, kEncoderShare});
      const Tensor read =
          training_ == "independent" ? data.concepts : pass(for_all(data.inputs, context, encode));
      const Loss of_head = [&](const Tensor& batch, sdk::Random*) {
        return data.objective.loss(head(read.index_select(0, batch)), batch);
      };
      optimise(head_weights, of_head, rows, head_options_, context, context.seed().child("head"),
               {kEncoderShare, kModelShare});
    }
    head.restore_units(data.objective);

    const Tensor logits = for_all(data.inputs, context, encode).to(torch::kFloat64);
    ConceptTensors view = make_view(logits, data.train, head);
    // That of an independent model was trained on annotated concepts itself.
    view.reference =
        training_ == "independent" ? head.answer(data.concepts) : reference_answers(data, context);
    report_accuracy("cbm", data, view, /*annotated=*/true, context, out);
    write_concept_view(out, view);
    head_weights.write(out);
  }

 private:
  Tensor read_by_head(const Tensor& edited) const override {
    return bottleneck_ == "hard" ? edited.gt(0.5) : edited;
  }

  Rows rows_of(const ConceptData& data, sdk::Seed seed) const {
    if (!validation_unused_ || options_.patience == 0) return hold_out(data.train, options_, seed);
    const Tensor unused = data.unused();
    if (unused.size(0) == 0)
      throw std::invalid_argument(
          "validation_rows = unused, but the dataset's split leaves no row unused; validation_rows "
          "= "
          "share takes some of the training rows");
    return {data.train, unused};
  }

  Tensor pass(const Tensor& logits) const {
    if (bottleneck_ == "logit") return logits;
    const Tensor probabilities = torch::sigmoid(logits);
    return bottleneck_ == "soft" ? probabilities : probabilities.gt(0.5).to(logits.dtype());
  }

  ConceptTensors make_view(const Tensor& logits, const Tensor& train, const TaskHead& head) const {
    const torch::NoGradGuard no_grad;
    ConceptTensors view;
    view.scores = pass(logits).unsqueeze(2);
    view.probabilities = torch::sigmoid(logits);
    view.outputs = head.answer(view.scores);
    view.active = torch::ones_like(view.scores);
    view.inactive = torch::zeros_like(view.scores);
    if (bottleneck_ == "logit") {
      const Tensor known = logits.index_select(0, train);
      view.active *= torch::quantile(known, kActive, 0).unsqueeze(1);
      view.inactive += torch::quantile(known, kInactive, 0).unsqueeze(1);
    }
    return view;
  }

  std::string bottleneck_, training_;
  double concept_weight_;
  OutputLayers output_;
  bool validation_unused_;
  OptimiseOptions head_options_;  ///< its rows are shuffled, whatever the encoder's are
};

}  // namespace

CONOSCOPE_MODEL(Cbm, "cbm", "1.3.0", R"(
summary = "concept bottleneck model: hard, soft or logit bottleneck, trained independently, sequentially or jointly"
licence = "Apache-2.0"
citation = "Koh et al., Concept Bottleneck Models, ICML 2020; defaults as in Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025"
needs = ["inputs", "concepts"]
offers = ["concept_view"]
seeded = true
added = ["encoder", "resnet_blocks", "resnet_width", "normalisation", "output_activation", "output_dropout", "standardise", "initialisation", "shuffle", "plateau_on", "keep", "validation_rows", "concept_set"]
)",
                kParameters)
