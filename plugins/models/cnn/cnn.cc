// A small convolutional classifier, trained here: 3 x 3 convolutions with ReLU, global average
// pooling and a linear head. Its last feature map and its head are the head view.
//
//   x -> standardise -> [conv 3x3, ReLU, (max pool 2x2)] per entry of `channels` -> mean -> W, b
//
// A pool follows a block, but not the last, while both sides are at least 8.
// All randomness (initial weights, order of the samples) comes from the seed and none from
// libtorch's generators, so the same seed gives the same bits again on the same machine. One
// thread, whatever the host allows: libtorch splits its sums by the number of threads, so two would
// give other bits than one.

#include <torch/torch.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;
using torch::Tensor;

constexpr std::int64_t kForwardBatch = 256;

std::vector<std::int64_t> parse_channels(const std::string& text) {
  const auto refuse = [&text] {
    throw std::invalid_argument("cnn: channels is '" + text +
                                "', expected counts from 1 to 4096 with commas between, as 32,64");
  };
  std::vector<std::int64_t> channels;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    while (at != end && *at == ' ') ++at;
    std::int64_t count = 0;
    const auto [next, error] = std::from_chars(at, end, count);
    if (error != std::errc() || count < 1 || count > 4096) refuse();
    channels.push_back(count);
    at = next;
    while (at != end && *at == ' ') ++at;
    if (at == end) return channels;
    if (*at++ != ',') refuse();
  }
}

/// A copy as float32, whatever dtype and strides.
Tensor to_torch(const sdk::Tensor& from) {
  std::vector<std::int64_t> shape;
  for (int axis = 0; axis < from.dimensions(); ++axis) shape.push_back(from.shape(axis));
  Tensor to = torch::empty(shape, torch::kFloat32);
  float* values = to.data_ptr<float>();
  from.for_each([values, &from](std::int64_t i, double value) {
    if (!std::isfinite(value))
      throw std::invalid_argument(from.name() + ": value " + std::to_string(i) +
                                  " (row-major) is not finite");
    values[i] = static_cast<float>(value);
  });
  return to;
}

void write(sdk::Sink& out, const std::string& name, const Tensor& tensor) {
  const Tensor values = tensor.detach().contiguous();
  const auto to = out.create<float>(name, values.sizes().vec());
  std::copy_n(values.data_ptr<float>(), to.size(), to.begin());
}

/// Images as n x channels x height x width.
Tensor to_images(const sdk::Tensor& inputs) {
  if (inputs.dimensions() != 4)
    throw sdk::NotApplicable("cnn: inputs are " + inputs.shape_text() +
                             ", but it works on images (n x height x width x channels)");
  if (inputs.size() == 0) throw std::invalid_argument("inputs: " + inputs.shape_text() + ", empty");
  return to_torch(inputs).permute({0, 3, 1, 2}).contiguous();
}

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

/// He et al., ICCV 2015: uniform with variance 2 / fan_in, from our own generator.
Tensor initial_weights(std::vector<std::int64_t> shape, double gain, sdk::Seed seed) {
  std::int64_t fan_in = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) fan_in *= shape[axis];
  const double bound = gain * std::sqrt(3.0 / static_cast<double>(fan_in));
  Tensor weights = torch::empty(shape, torch::kFloat32);
  sdk::Random random(seed);
  float* values = weights.data_ptr<float>();
  for (std::int64_t i = 0; i < weights.numel(); ++i)
    values[i] = static_cast<float>(random.uniform(-bound, bound));
  return weights.set_requires_grad(true);
}

enum class Task { kClassification, kAttributes, kRegression };

/// What is to be learnt, and how far from it the network is.
struct Objective {
  Task task;
  Tensor answers;      ///< classes n (int64), or targets n x C (float)
  Tensor shift, unit;  ///< regression: mean and standard deviation of the training targets, C
  std::int64_t outputs = 0;

  Tensor loss(const Tensor& logits, const Tensor& rows) const {
    const Tensor wanted = answers.index_select(0, rows);
    switch (task) {
      case Task::kClassification:
        return torch::cross_entropy_loss(logits, wanted);
      case Task::kAttributes:
        return torch::binary_cross_entropy_with_logits(logits, wanted);
      case Task::kRegression:
        break;
    }
    return torch::mse_loss(logits, (wanted - shift) / unit);
  }

  const char* output() const {
    return task == Task::kClassification ? "softmax"
           : task == Task::kAttributes   ? "sigmoid"
                                         : "regression";
  }
  const char* score_name() const { return task == Task::kRegression ? "test_r2" : "test_accuracy"; }

  /// Accuracy (attributes: over all samples and attributes), or R^2 (mean over outputs). The
  /// outputs are the head's own.
  double score(const Tensor& outputs_of_rows, const Tensor& rows) const {
    const Tensor wanted = answers.index_select(0, rows);
    if (task == Task::kClassification)
      return outputs_of_rows.argmax(1).eq(wanted).to(torch::kFloat64).mean().item<double>();
    if (task == Task::kAttributes)
      return outputs_of_rows.gt(0).eq(wanted.gt(0.5)).to(torch::kFloat64).mean().item<double>();
    const Tensor y = wanted.to(torch::kFloat64);
    const Tensor residual = (outputs_of_rows - y).square().sum(0);
    const Tensor total = (y - y.mean(0)).square().sum(0);
    return (1.0 - residual / total).mean().item<double>();
  }
};

Tensor read_rows(const sdk::Arrays& dataset, const std::string& name, std::int64_t samples) {
  const sdk::Tensor index = dataset.get(name);
  const auto values = index.values<const std::int64_t>();
  if (values.empty()) throw std::invalid_argument(name + ": no row");
  for (const std::int64_t row : values)
    if (row < 0 || row >= samples)
      throw std::invalid_argument(name + ": row " + std::to_string(row) + " of " +
                                  std::to_string(samples));
  Tensor rows = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kInt64);
  std::ranges::copy(values, rows.data_ptr<std::int64_t>());
  return rows;
}

Objective read_objective(const sdk::Arrays& dataset, std::int64_t samples, const Tensor& train) {
  Objective objective{};
  const std::string task =
      dataset.text("task", dataset.has("labels") ? "classification" : "regression");
  const auto check_rows = [samples](const sdk::Tensor& array) {
    if (array.rows() != samples)
      throw std::invalid_argument(array.name() + ": " + std::to_string(array.rows()) +
                                  " rows for " + std::to_string(samples) + " inputs");
  };
  if (task == "classification") {
    objective.task = Task::kClassification;
    const sdk::Tensor labels = dataset.get("labels");
    check_rows(labels);
    const auto values = labels.values<const std::int64_t>();
    const auto [least, most] = std::ranges::minmax(values);
    if (least < 0) throw std::invalid_argument("labels: class " + std::to_string(least));
    objective.outputs = most + 1;
    if (objective.outputs < 2) throw std::invalid_argument("labels: only one class");
    objective.answers = torch::empty({samples}, torch::kInt64);
    std::ranges::copy(values, objective.answers.data_ptr<std::int64_t>());
    return objective;
  }
  if (task != "attributes" && task != "regression")
    throw sdk::NotApplicable("cnn: no loss for the task " + task);
  const sdk::Tensor targets = dataset.get("targets");
  check_rows(targets);
  objective.task = task == "attributes" ? Task::kAttributes : Task::kRegression;
  objective.outputs = targets.shape(1);
  objective.answers = to_torch(targets).reshape({samples, objective.outputs});
  if (objective.task == Task::kAttributes &&
      !(objective.answers.eq(0) | objective.answers.eq(1)).all().item<bool>())
    throw std::invalid_argument("targets: attributes must be 0 or 1");
  if (objective.task == Task::kRegression) {
    const Tensor known = objective.answers.index_select(0, train).to(torch::kFloat64);
    const Tensor spread = known.std(0, /*unbiased=*/false);
    objective.shift = known.mean(0).to(torch::kFloat32);
    objective.unit = torch::where(spread > 0, spread, torch::ones_like(spread)).to(torch::kFloat32);
  }
  return objective;
}

class Cnn final : public sdk::Model, public sdk::Forward {
 public:
  explicit Cnn(const sdk::Params& params)
      : channels_(parse_channels(params.text("channels"))),
        epochs_(params.integer("epochs")),
        batch_size_(params.integer("batch_size")),
        learning_rate_(params.real("learning_rate")),
        weight_decay_(params.real("weight_decay")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    prepare();
    const Tensor images = to_images(dataset.get("inputs"));
    const std::int64_t samples = images.size(0);
    const Tensor train = read_rows(dataset, "train_index", samples);
    const Tensor test = read_rows(dataset, "test_index", samples);
    const Objective objective = read_objective(dataset, samples, train);

    Network network = make_network(images.index_select(0, train), context.seed());
    const std::int64_t width = channels_.back();
    Tensor weight = initial_weights({objective.outputs, width}, 1.0, context.seed().child("head"));
    Tensor bias = torch::zeros({objective.outputs}).set_requires_grad(true);
    optimise(network, weight, bias, images, train, objective, context);

    // The head answers in the units of the targets: what was learnt on standardised ones is folded
    // back, which is exact because the head is linear.
    weight = weight.detach();
    bias = bias.detach();
    if (objective.task == Task::kRegression) {
      weight = weight * objective.unit.unsqueeze(1);
      bias = bias * objective.unit + objective.shift;
    }

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
    prepare();
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
  static void prepare() {
    torch::set_num_threads(1);
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  }

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
      network.biases.push_back(torch::zeros({channels_[layer]}).set_requires_grad(true));
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

    std::vector<std::int64_t> order(static_cast<std::size_t>(train.size(0)));
    const std::int64_t batches = (train.size(0) + batch_size_ - 1) / batch_size_;
    const double steps = static_cast<double>(epochs_ * batches);
    double step = 0.0;
    for (std::int64_t epoch = 0; epoch < epochs_; ++epoch) {
      context.check_cancelled();
      std::iota(order.begin(), order.end(), 0);
      sdk::Random random(context.seed().child("epoch").child(static_cast<std::uint64_t>(epoch)));
      random.shuffle(order);
      const Tensor rows =
          train.index_select(0, torch::from_blob(order.data(), {train.size(0)}, torch::kInt64));
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
      const double mean_loss = loss_sum / static_cast<double>(train.size(0));
      if (!std::isfinite(mean_loss))
        throw std::domain_error("cnn: the training loss is not finite after epoch " +
                                std::to_string(epoch + 1) + "; lower learning_rate");
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
