// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/classifier.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plugins/models/common/torch/freed_memory.h"
#include "plugins/models/common/torch/joined_parameters.h"
#include "plugins/models/common/torch/network_above.h"
#include "plugins/models/common/torch/training.h"

namespace conoscope::models {

namespace {

constexpr std::int64_t kForwardBatch = 256;

/// n x D, or n x D x h x w -> n x P x D.
Tensor positions_of(const Tensor& map) {
  return map.reshape({map.size(0), map.size(1), -1}).transpose(1, 2).contiguous();
}

Tensor activations_of(const Trunk& trunk, const Tensor& inputs, const sdk::Context& context) {
  return for_all(inputs, context,
                 [&](const Tensor& batch) { return positions_of(trunk.below(batch)); });
}

/// The head view of a layer below the last one: logits, and the network's mean reading of the layer as
/// head_weight and head_bias. Returns the logits of the test rows.
Tensor write_reading(const Trunk& trunk, const NetworkAbove::Head& head, const Tensor& activations,
                     const Lesson& lesson, const sdk::Context& context, sdk::Sink& out) {
  const NetworkAbove network(trunk, head, trunk.below(lesson.inputs.slice(0, 0, 1)).sizes().vec());
  const Tensor rows = activations.to(torch::kFloat64);
  const Tensor logits = network.outputs(rows, context);
  const auto [weight, bias] = network.reading(rows.index_select(0, lesson.train), context);
  write(out, "logits", logits);
  write(out, "head_weight", weight);
  write(out, "head_bias", bias);
  network.write(out);
  return logits.index_select(0, lesson.test);
}

void optimise(const Trunk& trunk, const NetworkAbove::Head& head, const Lesson& lesson,
              const ClassifierOptions& options, const sdk::Context& context) {
  keep_freed_memory();
  std::vector<Tensor> trained = trunk.trained();
  trained.push_back(head.weight);
  trained.push_back(head.bias);
  const Tensor parameters = joined_parameters(trained);
  torch::optim::AdamW optimiser(
      std::vector<Tensor>{parameters},
      torch::optim::AdamWOptions(options.learning_rate).weight_decay(options.weight_decay));

  const std::int64_t samples = lesson.train.size(0);
  const std::int64_t batches = (samples + options.batch_size - 1) / options.batch_size;
  const double steps = static_cast<double>(options.epochs * batches);
  double step = 0.0;
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    context.check_cancelled();
    const Tensor rows = shuffled(
        lesson.train, context.seed().child("epoch").child(static_cast<std::uint64_t>(epoch)));
    double loss_sum = 0.0;
    for (std::int64_t batch = 0; batch < batches; ++batch, ++step) {
      const double rate = 0.5 * options.learning_rate * (1.0 + std::cos(M_PI * step / steps));
      static_cast<torch::optim::AdamWOptions&>(optimiser.param_groups()[0].options()).lr(rate);
      const Tensor part =
          rows.slice(0, batch * options.batch_size, (batch + 1) * options.batch_size);
      const Tensor map = trunk.features(lesson.inputs.index_select(0, part), true);
      const Tensor pooled = map.dim() == 4 ? map.mean({2, 3}) : map;
      const Tensor loss = lesson.objective.loss(torch::addmm(head.bias, pooled, head.weight.t()),
                                                part, options.loss);
      parameters.grad().zero_();
      loss.backward();
      optimiser.step();
      loss_sum += loss.item<double>() * static_cast<double>(part.size(0));
    }
    check_loss(loss_sum / static_cast<double>(samples), epoch);
    context.progress(static_cast<double>(epoch + 1) / static_cast<double>(options.epochs));
  }
}

}  // namespace

Lesson read_lesson(const sdk::Arrays& dataset, const Tensor& inputs) {
  const std::int64_t samples = inputs.size(0);
  const Tensor train = read_rows(dataset, "train_index", samples);
  const Tensor test = read_rows(dataset, "test_index", samples);
  return {inputs, train, test, read_objective(dataset, samples, train)};
}

ClassifierOptions read_classifier_options(const sdk::ParamsOf<kClassifierParameters>& params) {
  return {params.integer("epochs"),
          params.integer("batch_size"),
          params.real("learning_rate"),
          params.real("weight_decay"),
          {params.real("label_smoothing"), params.text("regression_loss") == "absolute"}};
}

void fit_classifier(const std::string& name, const Trunk& trunk, const Lesson& lesson,
                    const ClassifierOptions& options, const sdk::Context& context, sdk::Sink& out) {
  const Objective& objective = lesson.objective;
  NetworkAbove::Head head{
      initial_weights({objective.outputs, trunk.width()}, 1.0, context.seed().child("head")),
      initial_bias(objective.outputs)};
  optimise(trunk, head, lesson, options, context);

  head = {head.weight.detach(), head.bias.detach()};
  objective.restore_units(head.weight, head.bias);

  const Tensor activations = activations_of(trunk, lesson.inputs, context);
  const bool last = trunk.shows_last_layer();
  Tensor outputs;  // of the test rows
  if (last) {
    const Tensor pooled = activations.index_select(0, lesson.test).to(torch::kFloat64).mean(1);
    outputs =
        torch::addmm(head.bias.to(torch::kFloat64), pooled, head.weight.to(torch::kFloat64).t());
    write(out, "head_weight", head.weight);
    write(out, "head_bias", head.bias);
  } else {
    outputs = write_reading(trunk, head, activations, lesson, context, out);
  }
  write(out, "activations", activations);
  trunk.write(out);
  out.text("pooling", last ? trunk.pooling() : activations.size(1) == 1 ? "none" : "mean");
  out.text("output", objective.output());
  report_score(name, objective.score_name(), objective.score(outputs, lesson.test), context, out);
}

void answer_forward(const Trunk& trunk, const Tensor& inputs, const sdk::Context& context,
                    std::span<double> activations) {
  fill(activations, "activations", activations_of(trunk, inputs, context));
}

void answer_forward_gradient(const Trunk& trunk, const Tensor& inputs,
                             const sdk::Tensor& cotangents, const sdk::Context& context,
                             std::span<double> gradients) {
  if (cotangents.rows() != inputs.size(0))
    throw std::invalid_argument("cotangents: " + cotangents.shape_text() + " for " +
                                std::to_string(inputs.size(0)) + " inputs");
  const Tensor along = to_torch(cotangents);
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < inputs.size(0); i += kForwardBatch) {
    context.check_cancelled();
    const Tensor batch =
        inputs.slice(0, i, i + kForwardBatch).detach().clone().requires_grad_(true);
    const Tensor activations = positions_of(trunk.below(batch));
    const Tensor unit = along.slice(0, i, i + kForwardBatch);
    if (unit.sizes() != activations.sizes())
      throw std::invalid_argument("cotangents: " + cotangents.shape_text() +
                                  ", but each sample has " + std::to_string(activations.size(1)) +
                                  " x " + std::to_string(activations.size(2)) + " activations");
    const Tensor gradient = torch::autograd::grad({activations}, {batch}, {unit})[0];
    parts.push_back(gradient.dim() == 4 ? gradient.permute({0, 2, 3, 1}) : gradient);
  }
  fill(gradients, "gradients", torch::cat(parts));
}

void check_width(const sdk::Arrays& model, const sdk::Tensor& inputs, std::int64_t width,
                 const std::string& what) {
  const std::int64_t seen = model.get("state.mean").rows();
  if (seen != width)
    throw std::invalid_argument("inputs: " + inputs.shape_text() + ", but the network sees " +
                                std::to_string(seen) + " " + what);
}

Tensor read_images(const sdk::Arrays& model, const sdk::Tensor& inputs) {
  const Tensor images = to_images(inputs);
  check_width(model, inputs, images.size(1), "channels");
  return images;
}

}  // namespace conoscope::models
