// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/network_above.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "plugins/models/common/torch/training.h"

namespace conoscope::models {

namespace {

constexpr std::int64_t kBatch = 256;

}  // namespace

NetworkAbove::NetworkAbove(const Trunk& trunk, const Head& head, std::vector<std::int64_t> layer)
    : trunk_(trunk),
      head_{head.weight.to(torch::kFloat64), head.bias.to(torch::kFloat64)},
      layer_(layer.begin() + 1, layer.end()) {}

NetworkAbove::NetworkAbove(const Trunk& trunk, const sdk::Arrays& model)
    : trunk_(trunk),
      head_{in_double(model.get("state.head.weight")), in_double(model.get("state.head.bias"))} {
  const auto layer = model.get("state.layer").values<const std::int64_t>();
  layer_.assign(layer.begin(), layer.end());
}

void NetworkAbove::redraw(sdk::Seed seed) {
  std::vector<Tensor> weights = trunk_.trained();
  weights.insert(weights.end(), {head_.weight, head_.bias});
  permute_entries(weights, seed);
}

void NetworkAbove::write(sdk::Sink& out) const {
  conoscope::models::write(out, "state.head.weight", head_.weight);
  conoscope::models::write(out, "state.head.bias", head_.bias);
  std::ranges::copy(
      layer_,
      out.create<std::int64_t>("state.layer", {static_cast<std::int64_t>(layer_.size())}).begin());
}

Tensor NetworkAbove::run(const Tensor& activations) const {
  std::vector<std::int64_t> shape = layer_;
  shape.insert(shape.begin(), activations.size(0));
  const Tensor read = trunk_.above(activations.transpose(1, 2).reshape(shape));
  const Tensor pooled = read.dim() == 2 ? read : read.flatten(2).mean(2);
  return torch::addmm(head_.bias, pooled, head_.weight.t());
}

Tensor NetworkAbove::outputs(const Tensor& activations, const sdk::Context& context) const {
  return for_all(activations, context, [this](const Tensor& batch) { return run(batch); });
}

Tensor NetworkAbove::gradients(const Tensor& activations, const Tensor& cotangents,
                               const sdk::Context& context) const {
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < activations.size(0); i += kBatch) {
    context.check_cancelled();
    const Tensor batch = activations.slice(0, i, i + kBatch).detach().clone().requires_grad_(true);
    parts.push_back(
        torch::autograd::grad({run(batch)}, {batch}, {cotangents.slice(0, i, i + kBatch)})[0]);
  }
  return torch::cat(parts);
}

NetworkAbove::Head NetworkAbove::reading(const Tensor& activations,
                                         const sdk::Context& context) const {
  const Tensor outputs = this->outputs(activations, context);
  std::vector<Tensor> rows;
  for (std::int64_t c = 0; c < outputs.size(1); ++c) {
    Tensor unit = torch::zeros_like(outputs);
    unit.select(1, c).fill_(1.0);
    rows.push_back(gradients(activations, unit, context).sum(1).mean(0));
  }
  const Tensor weight = torch::stack(rows);
  return {weight, (outputs - activations.mean(1).matmul(weight.t())).mean(0)};
}

namespace {

void require_layers_above(const sdk::Arrays& model) {
  if (!model.find("logits"))
    throw sdk::NotApplicable(
        "the head view shows the last layer, so nothing but the head lies above it");
}

}  // namespace

void ImageClassifier::forward(const sdk::Arrays& model, const sdk::Tensor& inputs,
                              const sdk::Context& context, std::span<double> activations) {
  make_repeatable();
  const auto trunk = read_trunk(model);
  answer_forward(*trunk, read_images(model, inputs), context, activations);
}

void ImageClassifier::forward_gradient(const sdk::Arrays& model, const sdk::Tensor& inputs,
                                       const sdk::Tensor& cotangents, const sdk::Context& context,
                                       std::span<double> gradients) {
  make_repeatable();
  const auto trunk = read_trunk(model);
  answer_forward_gradient(*trunk, read_images(model, inputs), cotangents, context, gradients);
}

void ImageClassifier::head(const sdk::Arrays& model, const sdk::Tensor& activations,
                           const sdk::Context& context, std::span<double> outputs) {
  if (!model.find("logits")) return sdk::LinearHead::head(model, activations, context, outputs);
  make_repeatable();
  const auto trunk = read_trunk(model);
  fill(outputs, "outputs", NetworkAbove(*trunk, model).outputs(in_double(activations), context));
}

void ImageClassifier::vjp(const sdk::Arrays& model, const sdk::Tensor& activations,
                          const sdk::Tensor& cotangents, const sdk::Context& context,
                          std::span<double> gradients) {
  if (!model.find("logits"))
    return sdk::LinearHead::vjp(model, activations, cotangents, context, gradients);
  make_repeatable();
  const auto trunk = read_trunk(model);
  fill(gradients, "gradients",
       NetworkAbove(*trunk, model)
           .gradients(in_double(activations), in_double(cotangents), context));
}

void ImageClassifier::redrawn_head(const sdk::Arrays& model, const sdk::Tensor& activations,
                                   const sdk::Context& context, std::span<double> outputs) {
  require_layers_above(model);
  make_repeatable();
  const auto trunk = read_trunk(model);
  NetworkAbove network(*trunk, model);
  network.redraw(context.seed());
  fill(outputs, "outputs", network.outputs(in_double(activations), context));
}

void ImageClassifier::redrawn_vjp(const sdk::Arrays& model, const sdk::Tensor& activations,
                                  const sdk::Tensor& cotangents, const sdk::Context& context,
                                  std::span<double> gradients) {
  require_layers_above(model);
  make_repeatable();
  const auto trunk = read_trunk(model);
  NetworkAbove network(*trunk, model);
  network.redraw(context.seed());
  fill(gradients, "gradients",
       network.gradients(in_double(activations), in_double(cotangents), context));
}

}  // namespace conoscope::models
