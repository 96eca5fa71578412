// The residual network for small images (He et al., Deep Residual Learning for Image Recognition,
// CVPR 2016, section 4.2), trained here. Its last feature map and its head are the head view.
//
//   x -> standardise -> conv 3x3, BN, ReLU -> 3 stages of n blocks -> mean -> W, b
//   block: x -> conv 3x3, BN, ReLU, conv 3x3, BN -> add the shortcut of x -> ReLU
//
// 6n + 2 layers, of `width` channels and twice as many at half the resolution in each later stage.
// Unlike the paper: AdamW with cosine decay instead of momentum with steps, no crops and flips.

#include <torch/torch.h>

#include <cmath>
#include <memory>
#include <optional>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/classifier.h"
#include "plugins/models/common/torch/network_above.h"
#include "plugins/models/common/torch/training.h"
#include "plugins/models/common/torch/weights.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr double kBatchNormMomentum = 0.1, kBatchNormEpsilon = 1e-5;
constexpr int kStages = 3;

/// Convolution and batch normalisation.
struct Convolution {
  Tensor kernel, scale, shift, mean, variance;
  std::int64_t stride;

  Convolution(Weights& weights, const std::string& name, std::int64_t from, std::int64_t to,
              std::int64_t side, std::int64_t step)
      : stride(step) {
    // Float, also where an artifact is read in double: what it answers is what was trained.
    const auto own = [](const Tensor& tensor) { return tensor.to(torch::kFloat32); };
    kernel = own(weights.matrix(name + ".kernel", {to, from, side, side}, std::sqrt(2.0)));
    scale = own(weights.vector(name + ".scale", to, 1.0F));
    shift = own(weights.vector(name + ".shift", to, 0.0F));
    mean = own(weights.statistic(name + ".mean", torch::zeros({to})));
    variance = own(weights.statistic(name + ".variance", torch::ones({to})));
  }

  Tensor operator()(const Tensor& x, bool training) const {
    const auto as = [&x](const Tensor& tensor) { return tensor.to(x.scalar_type()); };
    const Tensor y = torch::conv2d(x, as(kernel), {}, stride, kernel.size(2) / 2);
    // One value has no variance.
    const bool many = y.size(0) * y.size(2) * y.size(3) > 1;
    return torch::batch_norm(y, as(scale), as(shift), as(mean), as(variance), training && many,
                             kBatchNormMomentum, kBatchNormEpsilon, /*cudnn_enabled=*/false);
  }
};

struct Block {
  Convolution first, second;
  std::optional<Convolution> projection;  ///< shortcut B, where the shape changes
  std::int64_t stride, added;             ///< shortcut A: channels of zeros

  Tensor shortcut(const Tensor& x, bool training) const {
    if (projection) return (*projection)(x, training);
    if (stride == 1) return x;
    const Tensor half = x.slice(2, 0, {}, stride).slice(3, 0, {}, stride);
    return torch::constant_pad_nd(half, {0, 0, 0, 0, 0, added});
  }

  Tensor operator()(const Tensor& x, bool training) const {
    const Tensor y = second(torch::relu(first(x, training)), training);
    return torch::relu(y + shortcut(x, training));
  }
};

struct Layout {
  std::int64_t depth, width;
  bool projections;
  std::int64_t shown;  ///< how many stages lie below the layer of the head view; 0: all
};

class ResidualBlocks final : public Trunk {
 public:
  /// weights   new, or of an artifact
  /// standard  of the training images; not looked at when the weights are of an artifact
  ResidualBlocks(Weights weights, const Spread& standard, const Layout& layout)
      : weights_(std::move(weights)),
        width_(layout.width << (kStages - 1)),
        shown_(static_cast<std::size_t>(layout.shown * ((layout.depth - 2) / (2 * kStages)))) {
    const auto statistic = [this](const std::string& name, const Tensor& initial) {
      return weights_.statistic(name, initial.flatten()).to(torch::kFloat32).view({1, -1, 1, 1});
    };
    mean_ = statistic("mean", standard.mean);
    scale_ = statistic("scale", standard.scale);
    stem_.emplace(weights_, "stem", standard.mean.numel(), layout.width, 3, 1);
    std::int64_t from = layout.width;
    for (int stage = 0; stage < kStages; ++stage)
      for (std::int64_t i = 0; i < (layout.depth - 2) / (2 * kStages); ++i) {
        const std::int64_t to = layout.width << stage, stride = to == from ? 1 : 2;
        const std::string name = "stage" + std::to_string(stage) + ".block" + std::to_string(i);
        Block block{{weights_, name + ".first", from, to, 3, stride},
                    {weights_, name + ".second", to, to, 3, 1},
                    std::nullopt,
                    stride,
                    to - from};
        if (layout.projections && stride != 1)
          block.projection.emplace(weights_, name + ".projection", from, to, 1, stride);
        blocks_.push_back(std::move(block));
        from = to;
      }
  }

  Tensor features(const Tensor& images, bool training) const override {
    return run(stem(images, training), 0, blocks_.size(), training);
  }

  Tensor below(const Tensor& images) const override {
    return run(stem(images, false), 0, shows_last_layer() ? blocks_.size() : shown_, false);
  }
  Tensor above(const Tensor& layer) const override {
    return run(layer, shown_, blocks_.size(), false);
  }
  bool shows_last_layer() const override { return shown_ == 0; }

  std::int64_t width() const override { return width_; }
  std::vector<Tensor> trained() const override { return weights_.trained(); }
  void write(sdk::Sink& out) const override { weights_.write(out); }

 private:
  Tensor stem(const Tensor& images, bool training) const {
    return torch::relu((*stem_)((images - mean_) / scale_, training));
  }
  Tensor run(Tensor x, std::size_t from, std::size_t to, bool training) const {
    for (std::size_t i = from; i < to; ++i) x = blocks_[i](x, training);
    return x;
  }

  Weights weights_;
  std::int64_t width_;
  std::size_t shown_;  ///< blocks below the layer of the head view; 0: all
  Tensor mean_, scale_;
  std::optional<Convolution> stem_;
  std::vector<Block> blocks_;
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

class ResNet final : public sdk::Model,
                     public sdk::Forward,
                     public sdk::ForwardGradient,
                     public TrunkHead {
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
    const ResidualBlocks trunk(Weights(context.seed()), spread_of(lesson.training_inputs()),
                               layout_);
    fit_classifier("resnet", trunk, lesson, options_, context, out);
  }

  void forward(const sdk::Arrays& model, const sdk::Tensor& inputs, const sdk::Context& context,
               std::span<double> activations) override {
    make_repeatable();
    const auto trunk = read_trunk(model);
    answer_forward(*trunk, read_images(model, inputs), context, activations);
  }

  void forward_gradient(const sdk::Arrays& model, const sdk::Tensor& inputs,
                        const sdk::Tensor& cotangents, const sdk::Context& context,
                        std::span<double> gradients) override {
    make_repeatable();
    const auto trunk = read_trunk(model);
    answer_forward_gradient(*trunk, read_images(model, inputs), cotangents, context, gradients);
  }

 private:
  std::unique_ptr<Trunk> read_trunk(const sdk::Arrays& model) const override {
    const Tensor shape = torch::zeros({1, model.get("state.mean").rows(), 1, 1});
    return std::make_unique<ResidualBlocks>(Weights(model), Spread{shape, shape}, layout_);
  }

  Layout layout_;
  ClassifierOptions options_;
};

}  // namespace

CONOSCOPE_MODEL(ResNet, "resnet", "1.0.0", R"(
summary = "residual network for small images (6n + 2 layers), trained on the spot"
licence = "Apache-2.0"
citation = "He et al., Deep Residual Learning for Image Recognition, CVPR 2016"
needs = ["inputs"]
offers = ["head_view", "nonnegative_activations", "images", "forward", "head", "redrawn_head"]
seeded = true
added = ["layer"]
)",
                kParameters)
