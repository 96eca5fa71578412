// SPDX-License-Identifier: Apache-2.0
// A small convolutional classifier, trained here: 3 x 3 convolutions with ReLU, global average
// pooling and a linear head. Its last feature map and its head are the head view, or one of its other
// feature maps and how the rest of the network reads that in the mean.
//
//   x -> standardise -> [conv 3x3, ReLU, (max pool 2x2)] per entry of `channels` -> mean -> W, b
//
// A pool follows a block, but not the last, while both sides are at least 8.
// The same seed gives the same bits again on the same machine (see torch/training.h).

#include <torch/torch.h>

#include <cmath>
#include <memory>
#include <string>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/classifier.h"
#include "plugins/models/common/torch/network_above.h"
#include "plugins/models/common/torch/training.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

class Convolutions final : public Trunk {
 public:
  /// To be trained.
  Convolutions(const Tensor& training_images, const std::vector<std::int64_t>& channels,
               std::int64_t layer_shown, sdk::Seed seed)
      : standard_(spread_of(training_images)), shown_(static_cast<std::size_t>(layer_shown)) {
    std::int64_t from = training_images.size(1);
    for (std::size_t layer = 0; layer < channels.size(); ++layer) {
      weights_.push_back(initial_weights({channels[layer], from, 3, 3}, std::sqrt(2.0),
                                         seed.child("conv").child(layer)));
      biases_.push_back(initial_bias(channels[layer]));
      from = channels[layer];
    }
  }

  /// As write() left it.
  Convolutions(const sdk::Arrays& model, std::int64_t layer_shown)
      : shown_(static_cast<std::size_t>(layer_shown)) {
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
    return run(standardised(images), 0, weights_.size());
  }

  Tensor below(const Tensor& images) const override {
    return run(standardised(images), 0, shows_last_layer() ? weights_.size() : shown_);
  }
  Tensor above(const Tensor& layer) const override { return run(layer, shown_, weights_.size()); }
  bool shows_last_layer() const override { return shown_ == 0; }

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
  Tensor standardised(const Tensor& images) const {
    return (images - standard_.mean) / standard_.scale;
  }

  /// Convolutions from ... to - 1, in the precision of x.
  Tensor run(Tensor x, std::size_t from, std::size_t to) const {
    for (std::size_t layer = from; layer < to; ++layer) {
      x = torch::relu(torch::conv2d(x, weights_[layer].to(x.scalar_type()),
                                    biases_[layer].to(x.scalar_type()), 1, 1));
      if (layer + 1 < weights_.size() && x.size(2) >= 8 && x.size(3) >= 8)
        x = torch::max_pool2d(x, 2);
    }
    return x;
  }

  std::vector<Tensor> weights_, biases_;
  Spread standard_;
  std::size_t shown_;  ///< how many convolutions lie below the layer of the head view; 0: all
};

constexpr auto kParameters = sdk::parameters(
    sdk::integers("channels", {32, 64, 64})
        .between(1, 4096)
        .not_empty()
        .help("output channels of each 3 x 3 convolution; the last is the head view's width D"),
    sdk::integer("layer", 0)
        .between(0, 4096)
        .help("the head view's layer: 0, the last; 1, 2, ...: what that convolution gives, after "
              "ReLU and pool"),
    classifier_parameters(15, 32, 0.003, 1e-4));

class Cnn final : public ImageClassifier {
 public:
  explicit Cnn(const sdk::ParamsOf<kParameters>& params)
      : channels_(params.integers("channels")),
        layer_(params.integer("layer")),
        options_(read_classifier_options(params)) {
    if (layer_ > static_cast<std::int64_t>(channels_.size()))
      throw std::invalid_argument("cnn: layer is " + std::to_string(layer_) + ", but there are " +
                                  std::to_string(channels_.size()) + " convolutions");
  }

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const Lesson lesson = read_lesson(dataset, to_images(dataset.get("inputs")));
    const Convolutions trunk(lesson.training_inputs(), channels_, layer_, context.seed());
    fit_classifier("cnn", trunk, lesson, options_, context, out);
  }

 private:
  std::unique_ptr<Trunk> read_trunk(const sdk::Arrays& model) const override {
    return std::make_unique<Convolutions>(model, layer_);
  }

  std::vector<std::int64_t> channels_;
  std::int64_t layer_;
  ClassifierOptions options_;
};

}  // namespace

CONOSCOPE_MODEL(Cnn, "cnn", "1.0.0", R"(
summary = "small convolutional network with ReLU, global average pooling and a linear head, trained on the spot"
licence = "Apache-2.0"
citation = "Lin, Chen & Yan, Network In Network, arXiv:1312.4400"
needs = ["inputs"]
offers = ["head_view", "forward", "head", "redrawn_head"]
seeded = true
added = ["layer", "label_smoothing", "regression_loss"]
)",
                kParameters)
