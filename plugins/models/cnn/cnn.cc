// A small convolutional classifier, trained here: 3 x 3 convolutions with ReLU, global average
// pooling and a linear head. Its last feature map and its head are the head view.
//
//   x -> standardise -> [conv 3x3, ReLU, (max pool 2x2)] per entry of `channels` -> mean -> W, b
//
// A pool follows a block, but not the last, while both sides are at least 8.
// The same seed gives the same bits again on the same machine (see torch/training.h).

#include <torch/torch.h>

#include <cmath>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/classifier.h"
#include "plugins/models/common/torch/training.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

class Convolutions final : public Trunk {
 public:
  /// To be trained.
  Convolutions(const Tensor& training_images, const std::vector<std::int64_t>& channels,
               sdk::Seed seed)
      : standard_(spread_of(training_images)) {
    std::int64_t from = training_images.size(1);
    for (std::size_t layer = 0; layer < channels.size(); ++layer) {
      weights_.push_back(initial_weights({channels[layer], from, 3, 3}, std::sqrt(2.0),
                                         seed.child("conv").child(layer)));
      biases_.push_back(initial_bias(channels[layer]));
      from = channels[layer];
    }
  }

  /// As write() left it.
  explicit Convolutions(const sdk::Arrays& model) {
    for (std::size_t layer = 0;; ++layer) {
      const auto weight = model.find("state.weight." + std::to_string(layer));
      if (!weight) break;
      weights_.push_back(to_torch(*weight));
      biases_.push_back(to_torch(model.get("state.bias." + std::to_string(layer))));
    }
    if (weights_.empty()) throw std::invalid_argument("array state.weight.0 is missing");
    standard_.mean = to_torch(model.get("state.mean")).view({1, -1, 1, 1});
    standard_.scale = to_torch(model.get("state.scale")).view({1, -1, 1, 1});
  }

  Tensor features(const Tensor& images, bool /*training*/) const override {
    Tensor x = (images - standard_.mean) / standard_.scale;
    for (std::size_t layer = 0; layer < weights_.size(); ++layer) {
      x = torch::relu(torch::conv2d(x, weights_[layer], biases_[layer], 1, 1));
      if (layer + 1 < weights_.size() && x.size(2) >= 8 && x.size(3) >= 8)
        x = torch::max_pool2d(x, 2);
    }
    return x;
  }

  std::int64_t width() const override { return weights_.back().size(0); }

  std::vector<Tensor> trained() const override {
    std::vector<Tensor> all = weights_;
    all.insert(all.end(), biases_.begin(), biases_.end());
    return all;
  }

  void write(sdk::Sink& out) const override {
    for (std::size_t layer = 0; layer < weights_.size(); ++layer) {
      conoscope::models::write(out, "state.weight." + std::to_string(layer), weights_[layer]);
      conoscope::models::write(out, "state.bias." + std::to_string(layer), biases_[layer]);
    }
    conoscope::models::write(out, "state.mean", standard_.mean.flatten());
    conoscope::models::write(out, "state.scale", standard_.scale.flatten());
  }

 private:
  std::vector<Tensor> weights_, biases_;
  Spread standard_;
};

constexpr auto kParameters = sdk::parameters(
    sdk::integers("channels", {32, 64, 64})
        .between(1, 4096)
        .not_empty()
        .help("output channels of each 3 x 3 convolution; the last is the head view's width D"),
    classifier_parameters(15, 32, 0.003, 1e-4));

class Cnn final : public sdk::Model, public sdk::Forward, public sdk::LinearHead {
 public:
  explicit Cnn(const sdk::ParamsOf<kParameters>& params)
      : channels_(params.integers("channels")), options_(read_classifier_options(params)) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const Lesson lesson = read_lesson(dataset, to_images(dataset.get("inputs")));
    const Convolutions trunk(lesson.training_inputs(), channels_, context.seed());
    fit_classifier("cnn", trunk, lesson, options_, context, out);
  }

  void forward(const sdk::Arrays& model, const sdk::Tensor& inputs, const sdk::Context& context,
               std::span<double> activations) override {
    make_repeatable();
    const Tensor images = to_images(inputs);
    const Convolutions trunk(model);
    check_width(model, inputs, images.size(1), "channels");
    answer_forward(trunk, images, context, activations);
  }

 private:
  std::vector<std::int64_t> channels_;
  ClassifierOptions options_;
};

}  // namespace

CONOSCOPE_MODEL(Cnn, "cnn", "1.0.0", R"(
summary = "small convolutional network with ReLU, global average pooling and a linear head, trained on the spot"
licence = "Apache-2.0"
citation = "Lin, Chen & Yan, Network In Network, arXiv:1312.4400"
needs = ["inputs"]
offers = ["head_view", "nonnegative_activations", "images", "forward", "head"]
seeded = true
)",
                kParameters)
