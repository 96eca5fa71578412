// SPDX-License-Identifier: Apache-2.0
// Fully connected layers with ReLU and a linear head, trained here; for tables, and for images as
// rows of pixels. The last hidden layer and the head are the head view, of one position.
//
//   x -> flatten -> standardise -> [linear, ReLU] per entry of `hidden` -> W, b

#include <torch/torch.h>

#include <cmath>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/classifier.h"
#include "plugins/models/common/torch/training.h"
#include "plugins/models/common/torch/weights.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

/// n x d, whatever shape a row has.
Tensor to_rows(const sdk::Tensor& inputs) {
  if (inputs.dimensions() < 2)
    throw sdk::NotApplicable("inputs are " + inputs.shape_text() +
                             ", but this model works on rows of columns (n x d) or of pixels");
  if (inputs.size() == 0) throw std::invalid_argument("inputs: " + inputs.shape_text() + ", empty");
  return to_torch(inputs).flatten(1);
}

class HiddenLayers final : public Trunk {
 public:
  /// weights   new, or of an artifact
  /// standard  of the training rows; not looked at when the weights are of an artifact
  HiddenLayers(Weights weights, const Spread& standard, const std::vector<std::int64_t>& hidden)
      : weights_(std::move(weights)) {
    std::int64_t from = standard.mean.numel();
    const auto own = [](const Tensor& tensor) { return tensor.to(torch::kFloat32); };
    mean_ = own(weights_.statistic("mean", standard.mean.flatten()));
    scale_ = own(weights_.statistic("scale", standard.scale.flatten()));
    for (std::size_t layer = 0; layer < hidden.size(); ++layer) {
      const std::string at = std::to_string(layer);
      layers_.push_back(
          {own(weights_.matrix("weight." + at, {hidden[layer], from}, std::sqrt(2.0))),
           own(weights_.vector("bias." + at, hidden[layer], 0.0F))});
      from = hidden[layer];
    }
  }

  Tensor features(const Tensor& rows, bool /*training*/) const override {
    Tensor x = (rows - mean_) / scale_;
    for (const Layer& layer : layers_)
      x = torch::relu(torch::addmm(layer.bias, x, layer.weight.t()));
    return x;
  }

  std::int64_t width() const override { return layers_.back().weight.size(0); }
  const char* pooling() const override { return "none"; }
  std::vector<Tensor> trained() const override { return weights_.trained(); }
  void write(sdk::Sink& out) const override { weights_.write(out); }

 private:
  struct Layer {
    Tensor weight, bias;
  };
  Weights weights_;
  Tensor mean_, scale_;
  std::vector<Layer> layers_;
};

constexpr auto kParameters =
    sdk::parameters(sdk::integers("hidden", {64, 64})
                        .between(1, 4096)
                        .not_empty()
                        .help("units of each hidden layer; the last is the head view's width D"),
                    classifier_parameters(50, 32, 0.003, 1e-4));

class FullyConnected final : public sdk::Model,
                             public sdk::Forward,
                             public sdk::ForwardGradient,
                             public sdk::LinearHead {
 public:
  explicit FullyConnected(const sdk::ParamsOf<kParameters>& params)
      : hidden_(params.integers("hidden")), options_(read_classifier_options(params)) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const Lesson lesson = read_lesson(dataset, to_rows(dataset.get("inputs")));
    check_fits_float32(dataset.get("inputs"));
    const HiddenLayers trunk(Weights(context.seed()), spread_of(lesson.training_inputs()), hidden_);
    fit_classifier("mlp", trunk, lesson, options_, context, out);
  }

  void forward(const sdk::Arrays& model, const sdk::Tensor& inputs, const sdk::Context& context,
               std::span<double> activations) override {
    make_repeatable();
    const Tensor rows = read_columns(model, inputs);
    answer_forward(read_trunk(model), rows, context, activations);
  }

  void forward_gradient(const sdk::Arrays& model, const sdk::Tensor& inputs,
                        const sdk::Tensor& cotangents, const sdk::Context& context,
                        std::span<double> gradients) override {
    make_repeatable();
    const Tensor rows = read_columns(model, inputs);
    answer_forward_gradient(read_trunk(model), rows, cotangents, context, gradients);
  }

 private:
  HiddenLayers read_trunk(const sdk::Arrays& model) const {
    const Tensor shape = torch::zeros({1, model.get("state.mean").rows()});
    return {Weights(model), {shape, shape}, hidden_};
  }
  static Tensor read_columns(const sdk::Arrays& model, const sdk::Tensor& inputs) {
    Tensor rows = to_rows(inputs);
    check_width(model, inputs, rows.size(1), "columns");
    return rows;
  }

  std::vector<std::int64_t> hidden_;
  ClassifierOptions options_;
};

}  // namespace

CONOSCOPE_MODEL(FullyConnected, "mlp", "1.0.0", R"(
summary = "fully connected layers with ReLU and a linear head, trained on the spot, for tables and for flattened images"
licence = "Apache-2.0"
citation = "Rumelhart, Hinton & Williams, Learning Representations by Back-Propagating Errors, Nature 1986"
needs = ["inputs"]
offers = ["head_view", "forward", "head"]
seeded = true
added = ["label_smoothing", "regression_loss"]
)",
                kParameters)
