// SPDX-License-Identifier: Apache-2.0
// The residual network for small images (He et al., Deep Residual Learning for Image Recognition,
// CVPR 2016, section 4.2), trained here. Its last feature map and its head are the head view.
//
//   x -> standardise -> conv 3x3, BN, ReLU -> 3 stages of n blocks -> mean -> W, b
//   block: see ResidualBlock
//
// 6n + 2 layers, of `width` channels and twice as many at half the resolution in each later stage.
// Unlike the paper: AdamW with cosine decay instead of momentum with steps, no crops and flips.

#include <torch/torch.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/classifier.h"
#include "plugins/models/common/torch/network_above.h"
#include "plugins/models/common/torch/residual.h"
#include "plugins/models/common/torch/training.h"
#include "plugins/models/common/torch/weights.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr std::size_t kStages = 3;

struct ResNetLayout {
  std::int64_t depth, width;
  bool projections;
  std::int64_t shown;  ///< how many stages lie below the layer of the head view; 0: all

  /// Of each stage.
  std::vector<std::int64_t> blocks() const {
    return std::vector<std::int64_t>(kStages, (depth - 2) / (2 * kStages));
  }
};

class ResidualTrunk final : public Trunk {
 public:
  /// weights   new, or of an artifact
  /// standard  of the training images; not looked at when the weights are of an artifact
  ResidualTrunk(Weights weights, const Spread& standard, const ResNetLayout& layout)
      : weights_(std::move(weights)), shown_(static_cast<std::size_t>(layout.shown)) {
    const auto statistic = [this](const std::string& name, const Tensor& initial) {
      return weights_.statistic(name, initial.flatten()).to(torch::kFloat32).view({1, -1, 1, 1});
    };
    mean_ = statistic("mean", standard.mean);
    scale_ = statistic("scale", standard.scale);
    stem_.emplace(weights_, "stem", standard.mean.numel(), layout.width, 3);
    stages_.emplace(weights_, "", layout.width, layout.blocks(), layout.projections);
  }

  Tensor features(const Tensor& images, bool training) const override {
    return stages_->run(stem(images, training), 0, kStages, training);
  }

  Tensor below(const Tensor& images) const override {
    return stages_->run(stem(images, false), 0, shows_last_layer() ? kStages : shown_, false);
  }
  Tensor above(const Tensor& layer) const override {
    return stages_->run(layer, shown_, kStages, false);
  }
  bool shows_last_layer() const override { return shown_ == 0; }

  std::int64_t width() const override { return stages_->channels(); }
  std::vector<Tensor> trained() const override { return weights_.trained(); }
  void write(sdk::Sink& out) const override { weights_.write(out); }

 private:
  Tensor stem(const Tensor& images, bool training) const {
    return torch::relu((*stem_)((images - mean_) / scale_, training));
  }

  Weights weights_;
  std::size_t shown_;  ///< stages below the layer of the head view; 0: all
  Tensor mean_, scale_;
  std::optional<Convolution> stem_;
  std::optional<ResidualStages> stages_;
};

constexpr auto kParameters = sdk::parameters(
    sdk::integer("depth", 20).between(8, 1202).help("layers: 6n + 2, as 8, 14, 20, 32, 56, 110"),
    sdk::integer("width", 16)
        .between(1, 1024)
        .help("channels of the first stage; the second has twice as many, the third, which is the "
              "head view, four times"),
    sdk::text("shortcut", "A")
        .choices({"A", "B"})
        .help("where a stage begins: A, every other pixel and channels of zeros; B, a 1 x 1 "
              "convolution"),
    sdk::integer("layer", 0)
        .between(0, kStages)
        .help("the head view's layer: 0, the last; 1, 2, 3: what that stage gives"),
    classifier_parameters(30, 32, 0.003, 1e-4));

class ResNet final : public ImageClassifier {
 public:
  explicit ResNet(const sdk::ParamsOf<kParameters>& params)
      : layout_{params.integer("depth"), params.integer("width"), params.text("shortcut") == "B",
                params.integer("layer")},
        options_(read_classifier_options(params)) {
    if (layout_.depth % 6 != 2)
      throw std::invalid_argument("resnet: depth is " + std::to_string(layout_.depth) +
                                  ", expected 6n + 2, as 8, 14, 20, 32");
  }

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const Lesson lesson = read_lesson(dataset, to_images(dataset.get("inputs")));
    const ResidualTrunk trunk(Weights(context.seed()), spread_of(lesson.training_inputs()),
                              layout_);
    fit_classifier("resnet", trunk, lesson, options_, context, out);
  }

 private:
  std::unique_ptr<Trunk> read_trunk(const sdk::Arrays& model) const override {
    const Tensor shape = torch::zeros({1, model.get("state.mean").rows(), 1, 1});
    return std::make_unique<ResidualTrunk>(Weights(model), Spread{shape, shape}, layout_);
  }

  ResNetLayout layout_;
  ClassifierOptions options_;
};

}  // namespace

CONOSCOPE_MODEL(ResNet, "resnet", "1.0.0", R"(
summary = "residual network for small images (6n + 2 layers), trained on the spot"
licence = "Apache-2.0"
citation = "He et al., Deep Residual Learning for Image Recognition, CVPR 2016"
needs = ["inputs"]
offers = ["head_view", "forward", "head", "redrawn_head"]
seeded = true
added = ["layer", "label_smoothing", "regression_loss"]
)",
                kParameters)
