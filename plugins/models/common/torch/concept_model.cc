// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/concept_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "plugins/models/common/torch/training.h"

namespace conoscope::models {

namespace {

Tensor read_inputs(const sdk::Tensor& inputs) {
  if (inputs.dimensions() == 4) return to_images(inputs);
  if (inputs.dimensions() != 2)
    throw sdk::NotApplicable("inputs are " + inputs.shape_text() +
                             ", but this model works on n x d or on images (n x height x width x "
                             "channels)");
  if (inputs.size() == 0) throw std::invalid_argument("inputs: " + inputs.shape_text() + ", empty");
  return to_torch(inputs);
}

Tensor read_concepts(const sdk::Tensor& concepts, std::int64_t samples) {
  check_rows(concepts, samples);
  if (concepts.dimensions() != 2 || concepts.shape(1) == 0)
    throw std::invalid_argument("concepts: " + concepts.shape_text() + ", expected n x k");
  concepts.for_each([&concepts](std::int64_t i, double value) {
    if (std::isfinite(value) && value != 0.0 && value != 1.0)
      throw sdk::NotApplicable("concepts: entry " + std::to_string(i) + " of " +
                               concepts.shape_text() +
                               " is neither 0 nor 1, as this model needs them");
  });
  return to_torch(concepts);
}

}  // namespace

ConceptData read_concept_data(const sdk::Arrays& dataset, bool concepts_needed) {
  ConceptData data;
  data.inputs = read_inputs(dataset.get("inputs"));
  check_fits_float32(dataset.get("inputs"));
  if (concepts_needed) data.concepts = read_concepts(dataset.get("concepts"), data.samples());
  data.train = read_rows(dataset, "train_index", data.samples());
  data.test = read_rows(dataset, "test_index", data.samples());
  data.objective = read_objective(dataset, data.samples(), data.train);
  return data;
}

ConceptData read_annotated_data(const sdk::Arrays& dataset, const std::string& concept_set,
                                sdk::Seed seed) {
  ConceptData data = read_concept_data(dataset, /*concepts_needed=*/true);
  if (concept_set == "annotated") return data;
  sdk::Random random(seed.child("concept_set"));
  for (std::int64_t j = 0; j < data.concepts.size(1); ++j) {
    std::vector<std::int64_t> from(static_cast<std::size_t>(data.samples()));
    std::iota(from.begin(), from.end(), std::int64_t{0});
    random.shuffle(from);
    const Tensor annotated = data.concepts.select(1, j).clone();
    data.concepts.select(1, j).copy_(annotated.index_select(0, torch::tensor(from)));
  }
  return data;
}

Tensor ConceptData::unused() const {
  Tensor open = torch::ones({samples()}, torch::kBool);
  open.index_fill_(0, train, false).index_fill_(0, test, false);
  return open.nonzero().squeeze(1);
}

EncoderLayers read_encoder_layers(const sdk::ParamsOf<kEncoderParameters>& params) {
  EncoderLayers layers;
  layers.channels = params.integers("channels");
  layers.hidden = params.integers("hidden");
  if (params.text("encoder") == "resnet")
    layers.residual =
        ResidualNetwork::Layout{params.integer("resnet_width"), params.integers("resnet_blocks")};
  return layers;
}

TaskHead::Layers TaskHead::read_layers(const sdk::ParamsOf<kHeadParameters>& params) {
  return {params.text("head") == "mlp", params.integers("head_hidden")};
}

TaskHead::TaskHead(Weights& weights, std::int64_t inputs, const Layers& layers,
                   std::int64_t outputs)
    : mlp_(weights, "head", [&] {
        std::vector<std::int64_t> widths = {inputs};
        if (layers.mlp) widths.insert(widths.end(), layers.hidden.begin(), layers.hidden.end());
        widths.push_back(outputs);
        return widths;
      }()) {}

void TaskHead::restore_units(const Objective& objective) {
  const torch::NoGradGuard no_grad;
  Linear& last = mlp_.last();
  Tensor weight = last.weight.clone(), bias = last.bias.clone();
  objective.restore_units(weight, bias);
  last.weight.copy_(weight);
  last.bias.copy_(bias);
}

Tensor TaskHead::answer(const Tensor& concepts) const {
  return mlp_.in_double()(concepts.to(torch::kFloat64).flatten(1));
}

void write_concept_view(sdk::Sink& out, const ConceptTensors& view) {
  write(out, "concept_scores", view.scores.to(torch::kFloat64));
  write(out, "concept_probabilities", view.probabilities.to(torch::kFloat64));
  write(out, "task_outputs", view.outputs.to(torch::kFloat64));
  if (view.reference.defined()) write(out, "reference_outputs", view.reference.to(torch::kFloat64));
  if (!view.active.defined()) return;
  write(out, "concept_active", view.active.to(torch::kFloat64));
  write(out, "concept_inactive", view.inactive.to(torch::kFloat64));
}

void report_accuracy(const std::string& name, const ConceptData& data, const ConceptTensors& view,
                     bool annotated, const sdk::Context& context, sdk::Sink& out) {
  const Tensor outputs = view.outputs.index_select(0, data.test);
  report_score(name, data.objective.score_name(), data.objective.score(outputs, data.test), context,
               out);
  if (!annotated) return;
  const Tensor found = view.probabilities.index_select(0, data.test).gt(0.5);
  const Tensor truth = data.concepts.index_select(0, data.test).gt(0.5);
  report_score(name, "test_concept_accuracy",
               found.eq(truth).to(torch::kFloat64).mean().item<double>(), context, out);
}

void answer_intervention(const sdk::Arrays& model, const sdk::Tensor& concepts,
                         std::span<double> outputs,
                         const std::function<Tensor(const Tensor& concepts)>& f) {
  const torch::NoGradGuard no_grad;
  const sdk::Tensor scores = model.get("concept_scores");
  if (concepts.dimensions() != 3 || concepts.shape(1) != scores.shape(1) ||
      concepts.shape(2) != scores.shape(2))
    throw std::invalid_argument("concepts: " + concepts.shape_text() + ", expected m x " +
                                std::to_string(scores.shape(1)) + " x " +
                                std::to_string(scores.shape(2)));
  const std::int64_t rows = concepts.rows();
  const std::int64_t answers = rows * model.get("task_outputs").shape(1);
  if (answers != static_cast<std::int64_t>(outputs.size()))
    throw std::invalid_argument("outputs: room for " + std::to_string(outputs.size()) +
                                " numbers, but there are " + std::to_string(answers));
  if (rows == 0) return;
  const Tensor answer = f(in_double(concepts)).contiguous();
  std::copy_n(answer.data_ptr<double>(), outputs.size(), outputs.begin());
}

AnnotatedModel::AnnotatedModel(const sdk::ParamsOf<kAnnotatedParameters>& params)
    : encoder_(read_encoder_layers(params)),
      concept_set_(params.text("concept_set")),
      head_(TaskHead::read_layers(params)),
      options_(read_optimise_options(params)) {}

void AnnotatedModel::intervene(const sdk::Arrays& model, const sdk::Tensor& concepts,
                               const sdk::Context&, std::span<double> outputs) {
  make_repeatable();
  answer_intervention(model, concepts, outputs, [&](const Tensor& edited) {
    Weights weights(model);
    const TaskHead head(weights, edited.size(1) * edited.size(2), head_,
                        model.get("task_outputs").shape(1));
    return head.answer(read_by_head(edited));
  });
}

Tensor AnnotatedModel::reference_answers(const ConceptData& data,
                                         const sdk::Context& context) const {
  Weights weights(context.seed().child("head"), initialisation_);
  TaskHead head(weights, data.concepts.size(1), head_, data.objective.outputs);
  // Many rows share a combination of concepts; the head reads each once.
  const auto [shown, which, counts] = torch::unique_dim(
      data.concepts.index_select(0, data.train), 0, /*sorted=*/true, /*return_inverse=*/true);
  const Tensor combinations = shown, combination_of = which;
  converge(
      weights,
      [&] {
        return data.objective.loss(head(combinations).index_select(0, combination_of), data.train);
      },
      context);
  context.progress(1.0);
  head.restore_units(data.objective);
  const torch::NoGradGuard no_grad;
  return head.answer(data.concepts);
}

}  // namespace conoscope::models
