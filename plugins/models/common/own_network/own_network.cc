// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/own_network/own_network.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "plugins/models/common/task/task.h"

namespace conoscope::models {

Block Network::above(const Block&) {
  throw sdk::NotApplicable("this network cannot be run from a layer on");
}

Block Network::gradient(const Block&, const Block&) {
  throw sdk::NotApplicable("this network gives no derivatives");
}

void Network::redraw(sdk::Seed) {
  throw sdk::NotApplicable("the weights of this network cannot be drawn anew");
}

Block Network::batch_gradient(const Block&, const Block&) {
  throw sdk::NotApplicable("this network gives no derivatives");
}

OwnNetwork::OwnNetwork(const std::string& id, const sdk::ParamsOf<kNetworkFileParameters>& params,
                       Above above)
    : id_(id),
      preparation_(id, params),
      file_(params.file("file")),
      layer_(params.text("layer")),
      head_(params.text("head")),
      output_(params.text("output")),
      batch_size_(params.integer("batch_size")),
      above_(above) {}

void OwnNetwork::fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) {
  network();
  if (above_ == Above::kNetwork) return fit_above(dataset, context, out);
  const sdk::Tensor inputs = dataset.get("inputs");
  preparation_.check(inputs);
  const std::int64_t samples = inputs.rows();
  std::optional<HeadView> head;
  std::vector<std::int64_t> first_shape;
  HeadView::Rows outputs;
  std::span<float> activations;
  for (std::int64_t i = 0; i < samples; i += batch_size_) {
    context.check_cancelled();
    const std::int64_t end = std::min(i + batch_size_, samples);
    const Block batch = preparation_(inputs, i, end);
    const Network::Answer answer = network()(batch);
    check_finite(answer, i);
    const Block positions = positions_of(answer.layer, end - i);
    const std::vector<std::int64_t> shape = {positions.shape[1], positions.shape[2]};
    if (!head) {
      check_repeats(answer, batch);
      first_shape = shape;
      head.emplace(file_, layer_, network().head(), answer.layer);
      outputs.resize(samples, head->bias().size());
      activations =
          out.create<float>("activations", {samples, positions.shape[1], positions.shape[2]});
    }
    if (shape != first_shape)
      throw std::invalid_argument(file_ + ": layer '" + layer_ + "' gives " + shape_text(shape) +
                                  " positions and features for sample " + std::to_string(i) +
                                  ", but " + shape_text(first_shape) +
                                  " for the first; all samples must have as many");
    outputs.middleRows(i, end - i) = (*head)(positions);
    head->check(outputs.middleRows(i, end - i), answer.output);
    std::ranges::copy(positions.values,
                      activations.begin() + i * positions.shape[1] * positions.shape[2]);
    context.progress(static_cast<double>(end) / static_cast<double>(samples));
  }
  const auto& weight = head->weight();
  std::copy_n(weight.data(), weight.size(),
              out.create<float>("head_weight", {weight.rows(), weight.cols()}).begin());
  std::copy_n(head->bias().data(), head->bias().size(),
              out.create<float>("head_bias", {head->bias().size()}).begin());
  out.text("pooling", head->pooling());
  if (output_ == "task")
    report_score(dataset, outputs, context, out);
  else
    out.text("output", output_);
}

/// The head view of a layer below the last one, with how the network reads it in the mean over the
/// training rows:
///
///   W_c = mean_i sum_p d output_ic / d activation_ip,   b = mean_i (output_i - W mean_p activation_ip)
void OwnNetwork::fit_above(const sdk::Arrays& dataset, const sdk::Context& context,
                           sdk::Sink& out) {
  const sdk::Tensor inputs = dataset.get("inputs");
  preparation_.check(inputs);
  const std::int64_t samples = inputs.rows();
  const auto train = row_index(dataset, "train_index", samples);
  std::vector<char> in_train(static_cast<std::size_t>(samples), 0);
  for (const std::int64_t row : train) in_train[static_cast<std::size_t>(row)] = 1;

  std::vector<std::int64_t> layer, first;  // of one sample: the layer's own shape, and P x D
  std::span<float> activations;
  HeadView::Rows outputs, weight;
  Eigen::RowVectorXd mean;  // of the pooled activations of the training rows
  using Map = Eigen::Map<const models::LinearHead::Weight>;
  for (std::int64_t i = 0; i < samples; i += batch_size_) {
    context.check_cancelled();
    const std::int64_t end = std::min(i + batch_size_, samples), count = end - i;
    const Block batch = preparation_(inputs, i, end);
    const Network::Answer answer = network()(batch);
    check_finite(answer, i);
    const Block positions = positions_of(answer.layer, count);
    if (layer.empty()) {
      check_repeats(answer, batch);
      if (answer.output.shape.size() != 2)
        throw std::invalid_argument(file_ + ": the network's output is " +
                                    shape_text(answer.output.shape) + ", expected n x C");
      layer.assign(answer.layer.shape.begin() + 1, answer.layer.shape.end());
      first = {positions.shape[1], positions.shape[2]};
      outputs.resize(samples, answer.output.shape[1]);
      weight = HeadView::Rows::Zero(outputs.cols(), first[1]);
      mean = Eigen::RowVectorXd::Zero(first[1]);
      activations = out.create<float>("activations", {samples, first[0], first[1]});
    }
    if (!std::equal(layer.begin(), layer.end(), answer.layer.shape.begin() + 1,
                    answer.layer.shape.end()))
      throw std::invalid_argument(file_ + ": layer '" + layer_ + "' gives " +
                                  shape_text(answer.layer.shape) + " for samples from " +
                                  std::to_string(i) + ", but " + shape_text(layer) +
                                  " for the first; all samples must have as many");
    outputs.middleRows(i, count) =
        Map(answer.output.values.data(), count, outputs.cols()).cast<double>();
    check_above(answer);
    std::ranges::copy(positions.values, activations.begin() + i * first[0] * first[1]);
    add_gradients(
        answer,
        std::span(in_train).subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(count)),
        context, weight);
    for (std::int64_t s = 0; s < count; ++s)
      if (in_train[static_cast<std::size_t>(i + s)])
        mean += Map(&positions.values[static_cast<std::size_t>(s * first[0] * first[1])], first[0],
                    first[1])
                    .cast<double>()
                    .colwise()
                    .mean();
    context.progress(static_cast<double>(end) / static_cast<double>(samples));
  }
  const auto rows = static_cast<double>(train.size());
  weight /= rows;
  mean /= rows;
  Eigen::RowVectorXd bias = -mean * weight.transpose();
  for (const std::int64_t row : train) bias += outputs.row(row) / rows;

  const auto write = [&out](const char* name, const HeadView::Rows& matrix,
                            const std::vector<std::int64_t>& shape) {
    std::copy_n(matrix.data(), matrix.size(), out.create<double>(name, shape).begin());
  };
  write("logits", outputs, {samples, outputs.cols()});
  write("head_weight", weight, {weight.rows(), weight.cols()});
  write("head_bias", bias, {bias.size()});
  std::ranges::copy(
      layer,
      out.create<std::int64_t>("state.layer", {static_cast<std::int64_t>(layer.size())}).begin());
  out.text("pooling", first[0] == 1 ? "none" : "mean");
  if (output_ == "task")
    report_score(dataset, outputs, context, out);
  else
    out.text("output", output_);
}

/// To row c of weight the sum over positions and marked samples of d output_c / d activation.
void OwnNetwork::add_gradients(const Network::Answer& answer, std::span<const char> marked,
                               const sdk::Context& context, HeadView::Rows& weight) {
  if (std::ranges::none_of(marked, [](char mark) { return mark != 0; })) return;
  const auto samples = static_cast<std::int64_t>(marked.size());
  for (Eigen::Index c = 0; c < weight.rows(); ++c) {
    context.check_cancelled();
    Block unit{answer.output.shape, std::vector<float>(answer.output.values.size(), 0.0F)};
    for (std::size_t s = 0; s < marked.size(); ++s)
      if (marked[s])
        unit.values[s * static_cast<std::size_t>(weight.rows()) + static_cast<std::size_t>(c)] =
            1.0F;
    const Block gradient = positions_of(network().gradient(answer.layer, unit), samples);
    weight.row(c) += Eigen::Map<const models::LinearHead::Weight>(
                         gradient.values.data(), samples * gradient.shape[1], gradient.shape[2])
                         .cast<double>()
                         .colwise()
                         .sum();
  }
}

/// Nothing reaches the output but through the layer.
void OwnNetwork::check_above(const Network::Answer& answer) {
  const Block again = network().above(answer.layer);
  float apart = 0.0F, largest = 1.0F;
  bool same = again.shape == answer.output.shape;
  for (std::size_t i = 0; same && i < again.values.size(); ++i) {
    largest = std::max(largest, std::abs(answer.output.values[i]));
    const float off = std::abs(again.values[i] - answer.output.values[i]);
    same = std::isfinite(off);
    apart = std::max(apart, off);
  }
  if (!same || apart > 1e-4F * largest)
    throw std::invalid_argument(
        file_ + ": run from layer '" + layer_ + "' on, the network gives another output, " +
        (again.shape != answer.output.shape
             ? shape_text(again.shape) + " for " + shape_text(answer.output.shape)
             : "off by " + std::to_string(apart) + " (allowed: " + std::to_string(1e-4F * largest) +
                   ")"));
}

/// Rows of what lies at positions, m x P x D, as the layer gives it. layer: its shape of one sample.
Block OwnNetwork::layer_block(std::span<const std::int64_t> layer, const sdk::Tensor& activations,
                              std::int64_t begin, std::int64_t end) {
  const std::int64_t of_sample =
      std::accumulate(layer.begin(), layer.end(), std::int64_t{1}, std::multiplies<>());
  if (activations.dimensions() != 3 || activations.shape(1) * activations.shape(2) != of_sample)
    throw std::invalid_argument(activations.name() + " are " + activations.shape_text() +
                                " for a layer of " + std::to_string(of_sample) +
                                " numbers for each sample");
  const sdk::Tensor part = activations.row_block(begin, end - begin);
  Block positions{{end - begin, activations.shape(1), activations.shape(2)},
                  std::vector<float>(static_cast<std::size_t>(part.size()))};
  copy_finite(part, positions.values.data());
  return HeadView::as_layer({layer.begin(), layer.end()}, positions);
}

/// Puts an answer where `room` is filled up to. Returns the end of it.
static std::span<double>::iterator put(const Block& answer, std::span<double>::iterator to,
                                       std::span<double> room, const char* what) {
  if (static_cast<std::ptrdiff_t>(answer.values.size()) > room.end() - to)
    throw std::invalid_argument(std::string(what) + ": room for " + std::to_string(room.size()) +
                                " numbers, but there are more");
  return std::ranges::copy(answer.values, to).out;
}

void OwnNetwork::head(const sdk::Arrays& model, const sdk::Tensor& activations,
                      const sdk::Context& context, std::span<double> outputs) {
  if (above_ == Above::kLinear) return sdk::LinearHead::head(model, activations, context, outputs);
  answer_head(network(), model, activations, context, outputs);
}

void OwnNetwork::answer_head(Network& network, const sdk::Arrays& model,
                             const sdk::Tensor& activations, const sdk::Context& context,
                             std::span<double> outputs) const {
  const std::int64_t samples = activations.rows();
  const auto layer = model.get("state.layer").values<const std::int64_t>();
  auto to = outputs.begin();
  for (std::int64_t i = 0; i < samples; i += batch_size_) {
    context.check_cancelled();
    const Block answer =
        network.above(layer_block(layer, activations, i, std::min(i + batch_size_, samples)));
    to = put(answer, to, outputs, "outputs");
  }
}

void OwnNetwork::vjp(const sdk::Arrays& model, const sdk::Tensor& activations,
                     const sdk::Tensor& cotangents, const sdk::Context& context,
                     std::span<double> gradients) {
  if (above_ == Above::kLinear)
    return sdk::LinearHead::vjp(model, activations, cotangents, context, gradients);
  answer_vjp(network(), model, activations, cotangents, context, gradients);
}

void OwnNetwork::answer_vjp(Network& network, const sdk::Arrays& model,
                            const sdk::Tensor& activations, const sdk::Tensor& cotangents,
                            const sdk::Context& context, std::span<double> gradients) const {
  const std::int64_t samples = activations.rows();
  const auto layer = model.get("state.layer").values<const std::int64_t>();
  auto to = gradients.begin();
  for (std::int64_t i = 0; i < samples; i += batch_size_) {
    context.check_cancelled();
    const std::int64_t end = std::min(i + batch_size_, samples);
    const sdk::Tensor part = cotangents.row_block(i, end - i);
    Block unit{{end - i, cotangents.shape(1)},
               std::vector<float>(static_cast<std::size_t>(part.size()))};
    copy_finite(part, unit.values.data());
    const Block answer =
        positions_of(network.gradient(layer_block(layer, activations, i, end), unit), end - i);
    to = put(answer, to, gradients, "gradients");
  }
}

void OwnNetwork::forward(const sdk::Arrays&, const sdk::Tensor& inputs, const sdk::Context& context,
                         std::span<double> activations) {
  network();
  preparation_.check(inputs);
  const std::int64_t samples = inputs.rows();
  std::size_t filled = 0;
  for (std::int64_t i = 0; i < samples; i += batch_size_) {
    context.check_cancelled();
    const std::int64_t end = std::min(i + batch_size_, samples);
    const Block positions = positions_of(network()(preparation_(inputs, i, end)).layer, end - i);
    const std::size_t all = positions.values.size() / static_cast<std::size_t>(end - i) *
                            static_cast<std::size_t>(samples);
    if (all != activations.size())
      throw std::invalid_argument("activations: room for " + std::to_string(activations.size()) +
                                  " numbers, but there are " + std::to_string(all));
    std::ranges::copy(positions.values, activations.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += positions.values.size();
  }
}

void OwnNetwork::answer_forward_gradient(const sdk::Tensor& inputs, const sdk::Tensor& cotangents,
                                         const sdk::Context& context, std::span<double> gradients) {
  network();
  preparation_.check(inputs);
  const std::int64_t samples = inputs.rows();
  if (cotangents.rows() != samples)
    throw std::invalid_argument("cotangents: " + cotangents.shape_text() + " for " +
                                std::to_string(samples) + " inputs");
  // All samples give a layer of one shape; fit() has seen to that.
  std::vector<std::int64_t> layer = network()(preparation_(inputs, 0, 1)).layer.shape;
  layer.erase(layer.begin());
  auto to = gradients.begin();
  for (std::int64_t i = 0; i < samples; i += batch_size_) {
    context.check_cancelled();
    const std::int64_t end = std::min(i + batch_size_, samples);
    const Block unit = layer_block(layer, cotangents, i, end);
    const Block answer =
        preparation_.gradient(inputs, network().batch_gradient(preparation_(inputs, i, end), unit));
    to = put(answer, to, gradients, "gradients");
  }
}

Network& OwnNetwork::network() {
  if (!network_) network_ = open(file_, layer_, head_);
  return *network_;
}

Network& OwnNetwork::redrawn(sdk::Seed seed) {
  if (above_ == Above::kLinear)
    throw sdk::NotApplicable(
        "only a linear head lies above the layer, so there is no network to draw anew");
  if (!redrawn_ || redrawn_from_ != seed.value()) {
    auto drawn = open(file_, layer_, head_);  // again, so that the network itself stays as it is
    drawn->redraw(seed);
    redrawn_ = std::move(drawn);
    redrawn_from_ = seed.value();
  }
  return *redrawn_;
}

Block OwnNetwork::positions_of(Block layer, std::int64_t samples) const {
  if (layer.samples() != samples)
    throw std::invalid_argument(file_ + ": layer '" + layer_ + "' gives " +
                                shape_text(layer.shape) + " for " + std::to_string(samples) +
                                " samples");
  return HeadView::positions(file_, layer_, std::move(layer));
}

void OwnNetwork::check_finite(const Network::Answer& answer, std::int64_t first) const {
  const auto check = [&](const Block& block, const std::string& what) {
    const auto at = std::ranges::find_if(block.values, [](float v) { return !std::isfinite(v); });
    if (at == block.values.end()) return;
    const std::int64_t i = at - block.values.begin();
    const auto width = static_cast<std::int64_t>(block.values.size()) / block.samples();
    throw std::invalid_argument(
        file_ + ": " + what + " is not finite for sample " + std::to_string(first + i / width) +
        " (value " + std::to_string(i % width) + " of that sample: " + std::to_string(*at) + ")");
  };
  check(answer.layer, "what layer '" + layer_ + "' gives");
  check(answer.output, "the output");
}

/// A network that draws at random has no head view.
void OwnNetwork::check_repeats(const Network::Answer& answer, const Block& batch) {
  if (network()(batch) != answer)
    throw std::invalid_argument(file_ +
                                ": the same inputs give another output each time; was it saved in "
                                "training mode? Call eval() before");
}

void OwnNetwork::report_score(const sdk::Arrays& dataset, const HeadView::Rows& outputs,
                              const sdk::Context& context, sdk::Sink& out) const {
  const std::int64_t samples = outputs.rows();
  const TaskAnswers answers = read_answers(dataset, samples);
  const bool fits = answers.task == Task::kClassification ? answers.outputs <= outputs.cols()
                                                          : answers.outputs == outputs.cols();
  if (!fits)
    throw std::invalid_argument(
        file_ + ": " +
        (above_ == Above::kLinear ? "head '" + network_->head().name + "'" : "the network") +
        " has " + std::to_string(outputs.cols()) + " outputs, but the dataset asks for " +
        std::to_string(answers.outputs));
  const auto test = row_index(dataset, "test_index", samples);
  HeadView::Rows given(static_cast<Eigen::Index>(test.size()), outputs.cols());
  for (std::size_t i = 0; i < test.size(); ++i)
    given.row(static_cast<Eigen::Index>(i)) = outputs.row(test[i]);
  out.text("output", answers.output());
  models::report_score(id_, answers.score_name(),
                       answers.score({given.data(), static_cast<std::size_t>(given.size())}, test),
                       context, out);
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kEnd = 30;  // what is asked for mostly lies near one of the ends
  if (names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kEnd && names.size() > 2 * kEnd) {
      text += ", (" + std::to_string(names.size() - 2 * kEnd) + " more)";
      i = names.size() - kEnd;
    }
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text;
}

}  // namespace conoscope::models
