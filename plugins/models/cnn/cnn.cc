// A small convolutional classifier, trained here: 3 x 3 convolutions with ReLU, global average
// pooling and a linear head. Its last feature map and its head are the head view.
//
//   x -> standardise -> [conv 3x3, ReLU, (max pool 2x2)] per entry of `channels` -> mean -> W, b
//
// A pool follows a block, but not the last, while both sides are at least 8.
// The same seed gives the same bits again on the same machine (see torch/training.h).

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "conoscope/sdk/model.h"
#include "plugins/models/torch/counts.h"
#include "plugins/models/torch/objective.h"
#include "plugins/models/torch/training.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr std::int64_t kForwardBatch = 256;

struct Network {
  std::vector<Tensor> weights, biases;  ///< of the convolutions
  Tensor mean, scale;                   ///< 1 x channels x 1 x 1, of the training images

  /// Images -> last feature map, n x D x h x w.
  Tensor features(const Tensor& images) const {
    Tensor x = (images - mean) / scale;
    for (std::size_t layer = 0; layer < weights.size(); ++layer) {
      x = torch::relu(torch::conv2d(x, weights[layer], biases[layer], 1, 1));
      if (layer + 1 < weights.size() && x.size(2) >= 8 && x.size(3) >= 8)
        x = torch::max_pool2d(x, 2);
    }
    return x;
  }

  /// The same in batches and as n x P x D.
  Tensor activations(const Tensor& images, const sdk::Context& context) const {
    const torch::NoGradGuard no_grad;
    std::vector<Tensor> parts;
    for (std::int64_t i = 0; i < images.size(0); i += kForwardBatch) {
      context.check_cancelled();
      const Tensor map = features(images.slice(0, i, i + kForwardBatch));
      parts.push_back(map.flatten(2).transpose(1, 2).contiguous());
    }
    return torch::cat(parts);
  }
};

class Cnn final : public sdk::Model, public sdk::Forward {
 public:
  explicit Cnn(const sdk::Params& params)
      : channels_(parse_counts("cnn: channels", params.text("channels"))),
        epochs_(params.integer("epochs")),
        batch_size_(params.integer("batch_size")),
        learning_rate_(params.real("learning_rate")),
        weight_decay_(params.real("weight_decay")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const Tensor images = to_images(dataset.get("inputs"));
    const std::int64_t samples = images.size(0);
    const Tensor train = read_rows(dataset, "train_index", samples);
    const Tensor test = read_rows(dataset, "test_index", samples);
    const Objective objective = read_objective(dataset, samples, train);

    Network network = make_network(images.index_select(0, train), context.seed());
    const std::int64_t width = channels_.back();
    Tensor weight = initial_weights({objective.outputs, width}, 1.0, context.seed().child("head"));
    Tensor bias = initial_bias(objective.outputs);
    optimise(network, weight, bias, images, train, objective, context);

    weight = weight.detach();
    bias = bias.detach();
    objective.restore_units(weight, bias);

    const Tensor activations = network.activations(images, context);
    const Tensor pooled = activations.to(torch::kFloat64).mean(1).index_select(0, test);
    const Tensor outputs =
        torch::addmm(bias.to(torch::kFloat64), pooled, weight.to(torch::kFloat64).t());
    char score[32];
    std::snprintf(score, sizeof(score), "%.6f", objective.score(outputs, test));
    context.log(std::string("cnn: ") + objective.score_name() + " " + score);

    write(out, "activations", activations);
    write(out, "head_weight", weight);
    write(out, "head_bias", bias);
    for (std::size_t layer = 0; layer < channels_.size(); ++layer) {
      write(out, "state.weight." + std::to_string(layer), network.weights[layer]);
      write(out, "state.bias." + std::to_string(layer), network.biases[layer]);
    }
    write(out, "state.mean", network.mean.flatten());
    write(out, "state.scale", network.scale.flatten());
    out.text("pooling", "mean");
    out.text("output", objective.output());
    out.text(objective.score_name(), score);
  }

  void forward(const sdk::Arrays& model, const sdk::Tensor& inputs, const sdk::Context& context,
               std::span<double> activations) override {
    make_repeatable();
    const Tensor images = to_images(inputs);
    Network network;
    for (std::size_t layer = 0;; ++layer) {
      const auto weight = model.find("state.weight." + std::to_string(layer));
      if (!weight) break;
      network.weights.push_back(to_torch(*weight));
      network.biases.push_back(to_torch(model.get("state.bias." + std::to_string(layer))));
    }
    if (network.weights.empty()) throw std::invalid_argument("array state.weight.0 is missing");
    network.mean = to_torch(model.get("state.mean")).view({1, -1, 1, 1});
    network.scale = to_torch(model.get("state.scale")).view({1, -1, 1, 1});
    if (network.weights[0].size(1) != images.size(1))
      throw std::invalid_argument("inputs: " + inputs.shape_text() + ", but the network sees " +
                                  std::to_string(network.weights[0].size(1)) + " channels");
    const Tensor result = network.activations(images, context);
    if (result.numel() != static_cast<std::int64_t>(activations.size()))
      throw std::invalid_argument("activations: room for " + std::to_string(activations.size()) +
                                  " numbers, but there are " + std::to_string(result.numel()));
    std::copy_n(result.data_ptr<float>(), activations.size(), activations.begin());
  }

 private:
  Network make_network(const Tensor& images, sdk::Seed seed) const {
    Network network;
    const Tensor exact = images.to(torch::kFloat64);
    network.mean = exact.mean({0, 2, 3}, /*keepdim=*/true).to(torch::kFloat32);
    const Tensor spread = exact.std({0, 2, 3}, /*unbiased=*/false, /*keepdim=*/true);
    network.scale = torch::where(spread > 0, spread, torch::ones_like(spread)).to(torch::kFloat32);
    std::int64_t from = images.size(1);
    for (std::size_t layer = 0; layer < channels_.size(); ++layer) {
      network.weights.push_back(initial_weights({channels_[layer], from, 3, 3}, std::sqrt(2.0),
                                                seed.child("conv").child(layer)));
      network.biases.push_back(initial_bias(channels_[layer]));
      from = channels_[layer];
    }
    return network;
  }

  /// AdamW (Loshchilov & Hutter, ICLR 2019) with a learning rate that falls to zero along a cosine.
  void optimise(const Network& network, const Tensor& weight, const Tensor& bias,
                const Tensor& images, const Tensor& train, const Objective& objective,
                const sdk::Context& context) const {
    std::vector<Tensor> parameters = network.weights;
    parameters.insert(parameters.end(), network.biases.begin(), network.biases.end());
    parameters.push_back(weight);
    parameters.push_back(bias);
    torch::optim::AdamW optimiser(
        parameters, torch::optim::AdamWOptions(learning_rate_).weight_decay(weight_decay_));

    const std::int64_t batches = (train.size(0) + batch_size_ - 1) / batch_size_;
    const double steps = static_cast<double>(epochs_ * batches);
    double step = 0.0;
    for (std::int64_t epoch = 0; epoch < epochs_; ++epoch) {
      context.check_cancelled();
      const Tensor rows =
          shuffled(train, context.seed().child("epoch").child(static_cast<std::uint64_t>(epoch)));
      double loss_sum = 0.0;
      for (std::int64_t batch = 0; batch < batches; ++batch, ++step) {
        const double rate = 0.5 * learning_rate_ * (1.0 + std::cos(M_PI * step / steps));
        static_cast<torch::optim::AdamWOptions&>(optimiser.param_groups()[0].options()).lr(rate);
        const Tensor part = rows.slice(0, batch * batch_size_, (batch + 1) * batch_size_);
        const Tensor pooled = network.features(images.index_select(0, part)).mean({2, 3});
        const Tensor loss = objective.loss(torch::addmm(bias, pooled, weight.t()), part);
        optimiser.zero_grad();
        loss.backward();
        optimiser.step();
        loss_sum += loss.item<double>() * static_cast<double>(part.size(0));
      }
      check_loss(loss_sum / static_cast<double>(train.size(0)), epoch);
      context.progress(static_cast<double>(epoch + 1) / static_cast<double>(epochs_));
    }
  }

  std::vector<std::int64_t> channels_;
  std::int64_t epochs_, batch_size_;
  double learning_rate_, weight_decay_;
};

}  // namespace

CONOSCOPE_MODEL(Cnn, "cnn", "1.0.0", R"(
summary = "small convolutional network with ReLU, global average pooling and a linear head, trained on the spot"
licence = "Apache-2.0"
citation = "Lin, Chen & Yan, Network In Network, arXiv:1312.4400"
needs = ["inputs"]
offers = ["head_view", "nonnegative_activations", "images", "forward"]
seeded = true

[parameters.channels]
type = "text"
default = "32,64,64"
help = "output channels of each 3 x 3 convolution, with commas between; the last is the head view's width D"

[parameters.epochs]
type = "integer"
default = 15
min = 1
max = 10000
help = "passes over the training split"

[parameters.batch_size]
type = "integer"
default = 32
min = 1
max = 65536
help = "samples per step"

[parameters.learning_rate]
type = "real"
default = 0.003
min = 1e-8
max = 10.0
help = "of AdamW at the start; it falls to zero along a cosine"

[parameters.weight_decay]
type = "real"
default = 1e-4
min = 0.0
max = 10.0
help = "of AdamW"
)")
