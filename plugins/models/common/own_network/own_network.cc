#include "plugins/models/common/own_network/own_network.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "plugins/models/common/task/task.h"

namespace conoscope::models {

OwnNetwork::OwnNetwork(const std::string& id, const sdk::ParamsOf<kNetworkFileParameters>& params)
    : id_(id),
      preparation_(id, params),
      file_(params.file("file")),
      layer_(params.text("layer")),
      head_(params.text("head")),
      output_(params.text("output")),
      batch_size_(params.integer("batch_size")) {}

void OwnNetwork::fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) {
  network();
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
    check_finite(answer);
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

Network& OwnNetwork::network() {
  if (!network_) network_ = open(file_, layer_, head_);
  return *network_;
}

Block OwnNetwork::positions_of(Block layer, std::int64_t samples) const {
  if (layer.samples() != samples)
    throw std::invalid_argument(file_ + ": layer '" + layer_ + "' gives " +
                                shape_text(layer.shape) + " for " + std::to_string(samples) +
                                " samples");
  return HeadView::positions(file_, layer_, std::move(layer));
}

void OwnNetwork::check_finite(const Network::Answer& answer) const {
  const auto check = [this](const Block& block, const std::string& what) {
    if (!std::ranges::all_of(block.values, [](float value) { return std::isfinite(value); }))
      throw std::invalid_argument(file_ + ": " + what + " holds a number that is not finite");
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
        file_ + ": head '" + network_->head().name + "' has " + std::to_string(outputs.cols()) +
        " outputs, but the dataset asks for " + std::to_string(answers.outputs));
  const auto test = row_index(dataset, "test_index", samples);
  HeadView::Rows given(static_cast<Eigen::Index>(test.size()), outputs.cols());
  for (std::size_t i = 0; i < test.size(); ++i)
    given.row(static_cast<Eigen::Index>(i)) = outputs.row(test[i]);
  char score[32];
  std::snprintf(score, sizeof(score), "%.6f",
                answers.score({given.data(), static_cast<std::size_t>(given.size())}, test));
  context.log(id_ + ": " + answers.score_name() + " " + score);
  out.text("output", answers.output());
  out.text(answers.score_name(), score);
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
