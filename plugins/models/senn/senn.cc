// SPDX-License-Identifier: Apache-2.0
// Self-explaining neural networks (Alvarez-Melis & Jaakkola, NeurIPS 2018): concepts are learnt
// from the task alone, and the answer is a sum over them with relevances of the sample's own.
//
//   h = sigmoid(encoder(x)), or encoder(x);   f_c = b_c + sum_i theta_ic h_i;   x^ = decoder(h)
//   loss = task + robustness * |grad_x f - sum_i theta_i grad_x h_i|
//               + reconstruction * error(x^, x) + sparsity * sum_i h_i
//
// relevances_of = concepts: theta is a function of h, so that edited concepts have an answer.
// relevances_of = inputs:   theta is a function of x, as the paper has it; no interventions.
// scored = relevances:      the concept view is theta_ic of the class c that is answered, as Espinosa
//                           Zarlenga et al., AAAI 2023, score these models; no interventions.

#include <torch/torch.h>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/concept_model.h"
#include "plugins/models/common/torch/optimise.h"
#include "plugins/models/common/torch/training.h"
#include "plugins/models/senn/scored.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

std::vector<std::int64_t> around(std::int64_t first, std::vector<std::int64_t> hidden,
                                 std::int64_t last) {
  hidden.insert(hidden.begin(), first);
  hidden.push_back(last);
  return hidden;
}

/// The sum over concepts: relevances from what they are a function of, and the bias.
class Aggregator {
 public:
  Aggregator(Weights& weights, std::int64_t from, const std::vector<std::int64_t>& hidden,
             std::int64_t concepts, std::int64_t outputs, bool bias)
      : concepts_(concepts),
        outputs_(outputs),
        relevances_(weights, "relevances", around(from, hidden, concepts * outputs)),
        bias_(bias ? weights.vector("bias", outputs, 0.0F) : torch::zeros({outputs})) {}

  /// n x from -> n x k x C.
  Tensor relevances(const Tensor& of) const {
    return relevances_(of).view({-1, concepts_, outputs_});
  }
  /// n x k x C and n x k -> n x C.
  Tensor sum(const Tensor& relevances, const Tensor& h) const {
    return bias_ + torch::einsum("nkc,nk->nc", {relevances, h});
  }

  /// As intervene() computes it.
  Tensor answer(const Tensor& of, const Tensor& h) const {
    Aggregator exact = *this;
    exact.relevances_ = relevances_.in_double();
    exact.bias_ = bias_.detach().to(torch::kFloat64);
    return exact.sum(exact.relevances(of.to(torch::kFloat64)), h.to(torch::kFloat64));
  }

  /// In double precision, as answer() takes them.
  Tensor relevances_of_answers(const Tensor& of) const {
    Aggregator exact = *this;
    exact.relevances_ = relevances_.in_double();
    return exact.relevances(of.to(torch::kFloat64));
  }

  /// Regression was learnt on standardised targets.
  void restore_units(const Objective& objective) {
    if (objective.task != Task::kRegression) return;
    const torch::NoGradGuard no_grad;
    Linear& last = relevances_.last();
    const Tensor units = objective.unit.repeat({concepts_});
    last.weight.mul_(units.unsqueeze(1));
    last.bias.mul_(units);
    bias_.mul_(objective.unit).add_(objective.shift);
  }

 private:
  std::int64_t concepts_, outputs_;
  Mlp relevances_;
  Tensor bias_;
};

constexpr auto kParameters = sdk::parameters(
    sdk::integer("concepts", 0)
        .between(0, 4096)
        .counts_concepts()
        .help("how many to learn; 0: as many as the dataset annotates"),
    sdk::text("relevances_of", "concepts")
        .choices({"concepts", "inputs"})
        .help("what the relevances are a function of; only concepts can be intervened on"),
    sdk::integers("relevance_hidden", {64, 64})
        .between(1, 4096)
        .not_empty()
        .help("units of the relevance network's hidden layers"),
    sdk::real("robustness", 0.1)
        .between(0.0, 1e6)
        .help("weight of the gradient by which the relevances are not constant around a sample"),
    sdk::text("concept_values", "sigmoid")
        .choices({"sigmoid", "linear"})
        .help("of the encoder's outputs, or these as they are"),
    sdk::boolean("bias", true).help("b_c: a part of the answer that no concept has"),
    sdk::text("scored", "concepts")
        .choices({"concepts", "relevances"})
        .help("the concept view: h, or the relevances for the class that is answered"),
    sdk::real("reconstruction", 1.0)
        .between(0.0, 1e6)
        .help("weight of the error with which concepts give the inputs back; ours"),
    sdk::text("reconstruction_error", "squared")
        .choices({"squared", "bernoulli"})
        .help("of the standardised inputs, their mean; or of inputs from 0 to 1 their negative "
              "log-likelihood, summed over a sample"),
    sdk::real("sparsity", 2e-05).between(0.0, 1e6).help("weight of the sum of concept values"),
    kEncoderParameters, optimise_parameters(100, 32));

class Senn final : public sdk::Model, public sdk::Intervene {
 public:
  explicit Senn(const sdk::ParamsOf<kParameters>& params)
      : concepts_(params.integer("concepts")),
        of_inputs_(params.text("relevances_of") == "inputs"),
        linear_(params.text("concept_values") == "linear"),
        bias_(params.boolean("bias")),
        relevances_scored_(params.text("scored") == "relevances"),
        bernoulli_(params.text("reconstruction_error") == "bernoulli"),
        robustness_(params.real("robustness")),
        reconstruction_(params.real("reconstruction")),
        sparsity_(params.real("sparsity")),
        encoder_(read_encoder_layers(params)),
        relevance_hidden_(params.integers("relevance_hidden")),
        options_(read_optimise_options(params)) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const ConceptData data = read_concept_data(dataset, /*concepts_needed=*/concepts_ == 0);
    const std::int64_t concepts = concepts_ > 0 ? concepts_ : data.concepts.size(1);
    if (relevances_scored_ && data.objective.task != Task::kClassification)
      throw sdk::NotApplicable(
          "senn: scored = relevances are those of the class that is answered, "
          "and the task has no classes");
    if (!bias_ && data.objective.task == Task::kRegression)
      throw sdk::NotApplicable("senn: bias = false, but a regression's mean is a bias");
    if (bernoulli_ &&
        (data.inputs.min().item<double>() < 0.0 || data.inputs.max().item<double>() > 1.0))
      throw std::invalid_argument(
          "senn: reconstruction_error = \"bernoulli\" takes inputs from 0 to 1");
    const Tensor known = data.inputs.index_select(0, data.train);
    const Standardise standardise(known);
    const std::int64_t inputs = data.inputs[0].numel();
    Weights below(context.seed().child("encoder")), above(context.seed().child("aggregator"));
    const Encoder encoder(below, "encoder", known, encoder_, concepts);
    const Mlp decoder(below, "decoder", around(concepts, encoder_.hidden, inputs));
    Aggregator aggregator(above, of_inputs_ ? inputs : concepts, relevance_hidden_, concepts,
                          data.objective.outputs, bias_);

    const Loss loss = [&](const Tensor& batch, sdk::Random* random) {
      const torch::AutoGradMode gradients(true);  // robustness needs them on validation rows too
      const Tensor x = data.inputs.index_select(0, batch).requires_grad_(robustness_ > 0.0);
      const Tensor h = concept_values(encoder(x, random != nullptr));
      const Tensor flat = standardise(x).flatten(1);
      const Tensor theta = aggregator.relevances(of_inputs_ ? flat : h);
      Tensor total = data.objective.loss(aggregator.sum(theta, h), batch) +
                     reconstruction_ * reconstruction_error(decoder(h), flat, x) +
                     sparsity_ * h.sum(1).mean();
      if (robustness_ > 0.0) total = total + robustness_ * instability(theta, h, x);
      return total;
    };
    optimise(below.with(above), loss, hold_out(data.train, options_, context.seed()), options_,
             context, context.seed().child("joint"));
    aggregator.restore_units(data.objective);

    const torch::NoGradGuard no_grad;
    const Tensor h = concept_values(for_all(data.inputs, context, [&](const Tensor& x) {
      return encoder(x, false).to(torch::kFloat64);
    }));
    const Tensor read = of_inputs_ ? standardise(data.inputs).flatten(1) : h;
    ConceptTensors view;
    view.outputs = aggregator.answer(read, h);
    const Tensor scored =
        relevances_scored_
            ? relevances_of_answer(aggregator.relevances_of_answers(read), view.outputs)
            : h;
    view.scores = scored.unsqueeze(2);
    view.probabilities = linear_ || relevances_scored_ ? torch::sigmoid(scored) : scored;
    report_accuracy("senn", data, view, /*annotated=*/false, context, out);
    write_concept_view(out, view);
    above.write(out);
  }

  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Context&,
                 std::span<double> outputs) override {
    if (relevances_scored_)
      throw sdk::NotApplicable("senn: scored = relevances are no concepts that could be edited");
    if (of_inputs_)
      throw sdk::NotApplicable(
          "senn: relevances_of = inputs needs the input beside the edited concepts; relevances_of "
          "= concepts does not");
    make_repeatable();
    answer_intervention(model, concepts, outputs, [&](const Tensor& edited) {
      Weights weights(model);
      const std::int64_t k = edited.size(1);
      const Aggregator aggregator(weights, k, relevance_hidden_, k,
                                  model.get("task_outputs").shape(1), bias_);
      return aggregator.answer(edited.flatten(1), edited.flatten(1));
    });
  }

 private:
  Tensor concept_values(const Tensor& encoded) const {
    return linear_ ? encoded : torch::sigmoid(encoded);
  }
  Tensor reconstruction_error(const Tensor& decoded, const Tensor& standardised,
                              const Tensor& x) const {
    if (!bernoulli_) return torch::mse_loss(decoded, standardised);
    return torch::binary_cross_entropy_with_logits(decoded, x.detach().flatten(1), {}, {},
                                                   torch::Reduction::Sum) /
           static_cast<double>(x.size(0));
  }

  /// |grad_x f - sum_i theta_i grad_x h_i|, the norm over inputs and outputs, mean over samples.
  /// What remains of grad_x f when the second term is taken off is sum_i h_i grad_x theta_i. Batch
  /// normalisation ties the samples of a batch together, so the fewer gradients of h, put together
  /// by the chain rule sample by sample, would be another loss.
  static Tensor instability(const Tensor& theta, const Tensor& h, const Tensor& x) {
    constexpr double kNoCorner = 1e-12;  // the root has no slope at 0
    Tensor squares = torch::zeros({x.size(0)});
    for (std::int64_t output = 0; output < theta.size(2); ++output) {
      const Tensor rest = torch::autograd::grad({theta.select(2, output)}, {x}, {h},
                                                /*retain_graph=*/true, /*create_graph=*/true)[0];
      squares = squares + rest.flatten(1).square().sum(1);
    }
    return (squares + kNoCorner).sqrt().mean();
  }

  std::int64_t concepts_;
  bool of_inputs_, linear_, bias_, relevances_scored_, bernoulli_;
  double robustness_, reconstruction_, sparsity_;
  EncoderLayers encoder_;
  std::vector<std::int64_t> relevance_hidden_;
  OptimiseOptions options_;
};

}  // namespace

CONOSCOPE_MODEL(Senn, "senn", "1.1.0", R"(
summary = "self-explaining neural network: concepts learnt from the task, summed with relevances of the sample's own"
licence = "Apache-2.0"
citation = "Alvarez-Melis & Jaakkola, Towards Robust Interpretability with Self-Explaining Neural Networks, NeurIPS 2018; epochs, batches, rate, robustness and sparsity as in Espinosa Zarlenga et al., AAAI 2023"
needs = ["inputs"]
offers = ["concept_view"]
seeded = true
added = ["encoder", "resnet_blocks", "resnet_width", "concept_values", "bias", "scored", "reconstruction_error"]
)",
                kParameters)
