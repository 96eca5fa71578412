// A network of the user's own, as a TorchScript file: one of its layers and its linear head are the
// head view. Nothing is trained.
//
//   x -> preparation -> ... -> layer -> pooling -> head = the module's output
//
// That the last equation holds is checked on every sample, so that what explainers and metrics say
// of the head view is said of the module.

#include <torch/torch.h>

#include <cstdio>
#include <optional>

#include "conoscope/sdk/model.h"
#include "plugins/models/torch/objective.h"
#include "plugins/models/torch/training.h"
#include "plugins/models/torchscript/preparation.h"
#include "plugins/models/torchscript/script.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

// Of the largest output, or of 1: float32 sums of some thousand terms, in another order.
constexpr double kHeadTolerance = 1e-4;

/// n x D, n x D x h x w, or n x P x D (tokens) -> n x P x D.
Tensor as_positions(const Script& script, const Tensor& layer) {
  if (layer.dim() == 2) return layer.unsqueeze(1).contiguous();
  if (layer.dim() == 3) return layer.contiguous();
  if (layer.dim() == 4) return layer.flatten(2).transpose(1, 2).contiguous();
  throw std::invalid_argument(script.file() + ": layer '" + script.layer() + "' gives " +
                              shape_text(layer) +
                              ", expected n x D, n x D x height x width, or n x P x D");
}

/// How the head reads the layer, and its weights in the order of P x D.
struct HeadView {
  std::string pooling;
  Tensor weight, bias;

  HeadView(const Script& script, const Tensor& layer) : bias(script.head().bias) {
    const Tensor positions = as_positions(script, layer);
    const std::int64_t count = positions.size(1), width = positions.size(2);
    weight = script.head().weight;
    if (weight.size(1) == width) {
      pooling = count == 1 ? "none" : "mean";
    } else if (weight.size(1) == count * width) {
      pooling = "flatten";
      // The module flattens D x h x w.
      if (layer.dim() == 4)
        weight = weight.view({-1, width, count}).transpose(1, 2).flatten(1).contiguous();
    } else {
      throw std::invalid_argument(script.file() + ": head '" + script.head().name + "' reads " +
                                  std::to_string(weight.size(1)) + " numbers, but layer '" +
                                  script.layer() + "' gives " + std::to_string(count) +
                                  " positions of " + std::to_string(width) +
                                  ": neither their mean nor all of them");
    }
  }

  /// From n x P x D, in double.
  Tensor operator()(const Tensor& positions) const {
    const Tensor exact = positions.to(torch::kFloat64);
    const Tensor pooled = pooling == "flatten" ? exact.flatten(1) : exact.mean(1);
    return torch::addmm(bias.to(torch::kFloat64), pooled, weight.to(torch::kFloat64).t());
  }
};

/// throws  std::invalid_argument: the module's output is something else
void check_output(const Script& script, const HeadView& head, const Tensor& outputs,
                  const Tensor& answered) {
  const std::string claim = "head '" + script.head().name + "' of " +
                            (head.pooling == "none" ? "" : "the " + head.pooling + " of ") +
                            "layer '" + script.layer() + "'";
  if (answered.numel() != outputs.numel())
    throw std::invalid_argument(script.file() + ": the module's output is " + shape_text(answered) +
                                ", but " + claim + " gives " + shape_text(outputs));
  const Tensor given = answered.to(torch::kFloat64).view_as(outputs);
  const double apart = (given - outputs).abs().max().item<double>();
  const double largest = given.abs().max().item<double>();
  // Written so that a number that is not finite does not pass.
  if (!(apart <= kHeadTolerance * std::max(1.0, largest))) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.3g, where the largest is %.3g", apart, largest);
    throw std::invalid_argument(
        script.file() + ": the module's output is not " + claim + ", but off by " + text +
        "; between them there may be a ReLU, a norm or another pooling, after the head a softmax");
  }
}

class TorchScript final : public sdk::Model, public sdk::Forward {
 public:
  explicit TorchScript(const sdk::Params& params)
      : preparation_(params),
        file_(params.file("file")),
        layer_(params.text("layer")),
        head_(params.text("head")),
        output_(params.text("output")),
        batch_size_(params.integer("batch_size")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const Script& script = loaded();
    const Tensor inputs = preparation_.read(dataset.get("inputs"));
    const std::int64_t samples = inputs.size(0);
    std::optional<HeadView> head;
    std::vector<Tensor> outputs;
    std::span<float> activations;
    for (std::int64_t i = 0; i < samples; i += batch_size_) {
      context.check_cancelled();
      const Tensor batch = preparation_(inputs.slice(0, i, i + batch_size_));
      const Script::Answer answer = script(batch);
      const Tensor positions = positions_of(answer, batch);
      if (!head) {
        check_repeats(answer, batch);
        head.emplace(script, answer.layer);
        activations =
            out.create<float>("activations", {samples, positions.size(1), positions.size(2)});
      }
      outputs.push_back((*head)(positions));
      check_output(script, *head, outputs.back(), answer.output);
      const std::int64_t numbers = positions[0].numel();
      std::copy_n(positions.data_ptr<float>(), positions.numel(),
                  activations.begin() + i * numbers);
      context.progress(static_cast<double>(std::min(i + batch_size_, samples)) /
                       static_cast<double>(samples));
    }
    write(out, "head_weight", head->weight);
    write(out, "head_bias", head->bias);
    out.text("pooling", head->pooling);
    if (output_ != "task") {
      out.text("output", output_);
      return;
    }
    report_score(dataset, torch::cat(outputs), context, out);
  }

  void forward(const sdk::Arrays&, const sdk::Tensor& inputs, const sdk::Context& context,
               std::span<double> activations) override {
    make_repeatable();
    const Script& script = loaded();
    const Tensor rows = preparation_.read(inputs);
    std::size_t filled = 0;
    for (std::int64_t i = 0; i < rows.size(0); i += batch_size_) {
      context.check_cancelled();
      const Tensor batch = preparation_(rows.slice(0, i, i + batch_size_));
      const Tensor positions = positions_of(script(batch), batch);
      const auto count = static_cast<std::size_t>(positions.numel());
      const std::size_t all =
          count / static_cast<std::size_t>(batch.size(0)) * static_cast<std::size_t>(rows.size(0));
      if (all != activations.size())
        throw std::invalid_argument("activations: room for " + std::to_string(activations.size()) +
                                    " numbers, but there are " + std::to_string(all));
      std::copy_n(positions.data_ptr<float>(), count,
                  activations.begin() + static_cast<std::ptrdiff_t>(filled));
      filled += count;
    }
  }

 private:
  const Script& loaded() {
    if (!script_) script_.emplace(file_, layer_, head_);
    return *script_;
  }

  Tensor positions_of(const Script::Answer& answer, const Tensor& batch) {
    if (answer.layer.dim() == 0 || answer.layer.size(0) != batch.size(0))
      throw std::invalid_argument(file_ + ": layer '" + layer_ + "' gives " +
                                  shape_text(answer.layer) + " for " +
                                  std::to_string(batch.size(0)) + " samples");
    return as_positions(*script_, answer.layer);
  }

  /// A module that draws at random has no head view.
  void check_repeats(const Script::Answer& answer, const Tensor& batch) {
    const Script::Answer again = (*script_)(batch);
    if (!torch::equal(answer.layer, again.layer) || !torch::equal(answer.output, again.output))
      throw std::invalid_argument(file_ +
                                  ": the same inputs give another output each time; was it traced "
                                  "in training mode? Call eval() before tracing");
  }

  void report_score(const sdk::Arrays& dataset, const Tensor& outputs, const sdk::Context& context,
                    sdk::Sink& out) const {
    const std::int64_t samples = outputs.size(0);
    const Objective objective =
        read_objective(dataset, samples, read_rows(dataset, "train_index", samples));
    const bool fits = objective.task == Task::kClassification
                          ? objective.outputs <= outputs.size(1)
                          : objective.outputs == outputs.size(1);
    if (!fits)
      throw std::invalid_argument(
          file_ + ": head '" + script_->head().name + "' has " + std::to_string(outputs.size(1)) +
          " outputs, but the data set asks for " + std::to_string(objective.outputs));
    const Tensor test = read_rows(dataset, "test_index", samples);
    char score[32];
    std::snprintf(score, sizeof(score), "%.6f",
                  objective.score(outputs.index_select(0, test), test));
    context.log(std::string("torchscript: ") + objective.score_name() + " " + score);
    out.text("output", objective.output());
    out.text(objective.score_name(), score);
  }

  Preparation preparation_;
  std::string file_, layer_, head_, output_;
  std::int64_t batch_size_;
  std::optional<Script> script_;
};

}  // namespace

CONOSCOPE_MODEL(TorchScript, "torchscript", "1.0.0", R"(
summary = "a network of your own in a TorchScript file: a layer that you name, and its linear head"
licence = "Apache-2.0"
citation = ""
needs = ["inputs"]
offers = ["head_view", "images", "forward"]
seeded = false

[parameters.file]
type = "file"
help = "what torch.jit.save() wrote"

[parameters.layer]
type = "text"
help = "name of the submodule whose output the head's pooling reads, as layer4 or features.3"

[parameters.head]
type = "text"
default = ""
help = "name of the linear submodule that gives the output; empty: the last one after the layer"

[parameters.output]
type = "text"
default = "task"
choices = ["task", "softmax", "sigmoid", "regression"]
help = "what the outputs mean; task: what the data set's task says, and then the test split is scored"

[parameters.batch_size]
type = "integer"
default = 64
min = 1
max = 65536
help = "samples that are run at once"
)" CONOSCOPE_PREPARATION_PARAMETERS)
