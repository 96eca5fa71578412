// SPDX-License-Identifier: Apache-2.0
// A model of your own, from files: the head view of a network, the concepts of a bottleneck with its
// head, the codes of an encoder. Several such models share one dataset, which says what is true of the
// samples.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/model.h"
#include "datasets/formats/array_file.h"
#include "datasets/precomputed/checks.h"
#include "datasets/precomputed/head.h"
#include "datasets/precomputed/sources.h"
#include "datasets/precomputed/write.h"
#include "plugins/models/precomputed/concept_head.h"

namespace {

namespace sdk = conoscope::sdk;
namespace formats = conoscope::formats;
using namespace conoscope::datasets;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(
    sdk::optional_file("archive").help(
        ".npz, .safetensors or HDF5 file with further arrays by the names of the parameters "
        "below; a file given by itself (which may be this one) wins, and only such a file makes "
        "the model offer a view"),
    sdk::optional_file("activations")
        .offers("head_view")
        .help("n x height x width x D, n x P x D or n x D, before pooling"),
    sdk::optional_file("head_weight").help("outputs x D; with pooling = flatten: outputs x P*D"),
    sdk::optional_file("head_bias").help("one per output; zeros for a head without bias"),
    sdk::optional_file("logits").help(
        "n x outputs as the network gave them; only compared with what the head gives"),
    sdk::optional_file("codes").offers("latent_view").help("n x m: codes of an encoder"),
    sdk::optional_file("codes_log_variance").help("n x m: logarithms of the posteriors' variances"),
    sdk::optional_file("reconstruction_loss").help("n: -log p(x|z)"),
    sdk::optional_file("concept_scores")
        .offers("concept_view")
        .help("n x k, or n x k x w for embeddings: learnt concepts"),
    sdk::optional_file("concept_probabilities")
        .help("n x k, in [0, 1]; not given: concept_scores, which must lie there"),
    sdk::optional_file("task_outputs")
        .help("n x C: what the model makes of its concepts; not given: what the head gives"),
    sdk::optional_file("concept_active")
        .help("as concept_scores: what an intervention writes where a concept is there"),
    sdk::optional_file("concept_inactive").help("the same where it is not there"),
    sdk::optional_file("concept_head")
        .help("archive of a head of one or several layers over the concepts, which answers "
              "interventions: weight and bias, or N.weight and N.bias in the order of N, as a "
              "state_dict of torch.nn.Linear or Sequential has them"),
    sdk::text("concept_head_activation", "relu")
        .choices({"relu", "sigmoid", "tanh"})
        .help("between the layers of concept_head"),
    sdk::optional_file("concept_head_weight")
        .help("C x (k * w): in place of concept_head, the weight of a linear head"),
    sdk::optional_file("concept_head_bias").help("C; with concept_head_weight"),
    sdk::optional_file("reference_outputs")
        .help("n x C: what the same kind of head, trained by itself on the true concepts, makes of "
              "them"),
    sdk::texts("members", {})
        .empty_means("none")
        .help("NAME=ARRAY for each parameter whose array has another name in its file; of a .csv "
              "file NAME=COLUMN,COLUMN"),
    head_pooling(), head_output());

std::string weight_name(std::size_t layer) { return "state." + std::to_string(layer) + ".weight"; }
std::string bias_name(std::size_t layer) { return "state." + std::to_string(layer) + ".bias"; }

sdk::Matrix matrix_of(const formats::Array& array) {
  sdk::Matrix out(array.shape[0], array.extent(1));
  formats::copy_to<double>(array, std::span(out.data(), static_cast<std::size_t>(array.size())));
  return out;
}

/// throws  std::invalid_argument: not outputs x inputs and outputs, another number of inputs than
///         there are, or a value that is not finite
HeadLayer read_layer(const formats::Array& weight, const formats::Array& bias, std::int64_t inputs,
                     const std::string& given) {
  if (weight.shape.size() != 2 || weight.size() == 0)
    throw std::invalid_argument(weight.origin + ": is " + weight.shape_text() +
                                ", expected outputs x inputs");
  if (weight.shape[1] != inputs)
    throw std::invalid_argument(weight.origin + ": is " + weight.shape_text() + ", expected " +
                                std::to_string(inputs) + " columns for " + given);
  if (bias.shape != std::vector<std::int64_t>{weight.shape[0]})
    throw std::invalid_argument(bias.origin + ": is " + bias.shape_text() + ", expected " +
                                std::to_string(weight.shape[0]) + " as " + weight.origin +
                                " has rows");
  formats::check_finite(weight, "weights");
  formats::check_finite(bias, "biases");
  return {matrix_of(weight), matrix_of(bias)};
}

/// The layers of a state_dict: weight and bias, or N.weight and N.bias in the order of N.
/// throws  std::invalid_argument: another array, or one without its partner; see read_layer()
std::vector<HeadLayer> read_layers(const std::string& path, std::int64_t inputs,
                                   const std::string& scores) {
  const formats::ArrayFile file(path);
  std::map<std::int64_t, std::string> prefixes;  // by N
  for (const std::string& name : file.names()) {
    const std::size_t dot = name.find('.');
    const std::string number = dot == name.npos ? "" : name.substr(0, dot + 1);
    const std::string rest = name.substr(number.size());
    const bool counted = number.empty() || (number.size() > 1 && number.size() < 8 &&
                                            number.find_first_not_of("0123456789") == dot);
    if (!counted || (rest != "weight" && rest != "bias"))
      throw std::invalid_argument(path + ": holds " + name +
                                  ", expected weight and bias, or 0.weight, 0.bias, 2.weight, ... "
                                  "of layers in their order");
    const auto [at, fresh] = prefixes.emplace(number.empty() ? -1 : std::stoll(number), number);
    if (!fresh && at->second != number)
      throw std::invalid_argument(path + ": " + at->second + rest + " and " + name +
                                  " have one number");
  }
  if (prefixes.empty()) throw std::invalid_argument(path + ": holds no layer");
  if (prefixes.contains(-1) && prefixes.size() > 1)
    throw std::invalid_argument(path + ": holds weight or bias, and layers with numbers, too");
  std::vector<HeadLayer> layers;
  std::string given = scores;
  for (const auto& [number, prefix] : prefixes) {
    layers.push_back(
        read_layer(file.get(prefix + "weight"), file.get(prefix + "bias"), inputs, given));
    inputs = layers.back().weight.rows();
    given = "what " + prefix + "weight gives";
  }
  return layers;
}

std::int64_t samples_of(const sdk::Arrays& dataset) {
  for (const char* name : {"labels", "targets", "concepts", "factors", "inputs"})
    if (const auto found = dataset.find(name)) return found->rows();
  throw std::invalid_argument(
      "precomputed_files: the dataset holds no labels, targets, concepts, factors or inputs");
}

class PrecomputedFiles final : public sdk::Model, public sdk::Intervene {
 public:
  explicit PrecomputedFiles(const sdk::ParamsOf<kParameters>& params)
      : sources_(params.unchecked(), kParameters, "precomputed_files", {"concept_head"}),
        concept_head_(params.file("concept_head")),
        activation_(params.text("concept_head_activation")),
        pooling_(params.text("pooling")),
        output_(params.text("output")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    for (const std::string& name : sources_.unused())
      context.log("precomputed_files: the archive's array " + name + " is not used");
    const std::int64_t samples = samples_of(dataset);
    const auto find = [this](const std::string& name) { return sources_.find(name); };
    std::vector<formats::Array> activations;
    if (const auto found = find("activations")) activations.push_back(*found);
    const auto head = read_head(sources_, activations, pooling_, output_, context);
    if (head && head->samples() != samples)
      throw std::invalid_argument(head->origin() + ": activations has " +
                                  std::to_string(head->samples()) + " rows, but " + kDataset +
                                  " has " + std::to_string(samples));
    context.check_cancelled();
    const auto bottleneck = read_bottleneck(samples);
    context.check_cancelled();
    const auto codes = read_codes(find, samples, kDataset);
    if (!head && !bottleneck && codes.empty())
      throw std::invalid_argument(
          "precomputed_files: neither activations nor concept_scores nor codes are given");

    if (head) write_head(out, *head);
    if (bottleneck) write_bottleneck(out, *bottleneck);
    for (const auto& [name, array] : codes) write(out, name, {array}, array.shape);
  }

  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Context&,
                 std::span<double> outputs) override {
    std::vector<HeadLayer> layers;
    while (model.has(weight_name(layers.size()))) {
      const std::size_t i = layers.size();
      layers.push_back(
          {sdk::to_matrix(model.get(weight_name(i))), sdk::to_matrix(model.get(bias_name(i)))});
    }
    answer(layers, model.text("concept_head_activation", "relu"), concepts, outputs);
  }

 private:
  static constexpr const char* kDataset = "the dataset";

  struct Bottleneck {
    ConceptArrays concepts;
    std::vector<HeadLayer> layers;
  };

  std::optional<Bottleneck> read_bottleneck(std::int64_t samples) const {
    const auto scores = sources_.find("concept_scores");
    const std::vector<HeadLayer> layers = scores ? head_over(*scores) : std::vector<HeadLayer>();
    std::optional<sdk::Matrix> answers;
    if (!layers.empty() && scores->shape[0] == samples) {
      sdk::Matrix rows(samples, layers.front().weight.cols());
      formats::copy_to<double>(*scores,
                               std::span(rows.data(), static_cast<std::size_t>(rows.size())));
      answers = outputs_of(layers, activation_, std::move(rows));
    }
    const auto find = [&](const std::string& name) -> std::optional<formats::Array> {
      if (scores && (name == "concept_head_weight" || name == "concept_head_bias")) return {};
      auto found = sources_.find(name);
      if (name == "task_outputs" && !found && answers) found = array_of(*answers);
      return found;
    };
    const auto concepts = read_concepts(find, samples, kDataset);
    if (!concepts) {
      if (!concept_head_.empty())
        throw std::invalid_argument(concept_head_ +
                                    ": concept_head is given without concept_scores");
      return {};
    }
    if (!concepts->probabilities)
      throw std::invalid_argument(scores->origin +
                                  ": concept_scores go beyond [0, 1], so concept_probabilities are "
                                  "needed, too");
    if (answers) {
      const formats::Array& saved = *concepts->outputs;
      if (saved.shape[1] != answers->cols())
        throw std::invalid_argument(
            saved.origin + ": task_outputs has " + std::to_string(saved.shape[1]) +
            " columns, but the head gives " + std::to_string(answers->cols()));
      check_agreement(saved, std::span(answers->data(), static_cast<std::size_t>(answers->size())),
                      "the head over concept_scores");
    }
    return Bottleneck{*concepts, layers};
  }

  void write_bottleneck(sdk::Sink& out, const Bottleneck& bottleneck) const {
    write_concepts(out, bottleneck.concepts);
    for (std::size_t i = 0; i < bottleneck.layers.size(); ++i) {
      write_matrix(out, weight_name(i), bottleneck.layers[i].weight);
      write_matrix(out, bias_name(i), bottleneck.layers[i].bias);
    }
    out.text("concept_head_activation", activation_);
  }

  /// None: there is no head.
  std::vector<HeadLayer> head_over(const formats::Array& scores) const {
    const auto weight = sources_.find("concept_head_weight");
    const auto bias = sources_.find("concept_head_bias");
    // read_concepts() refuses these.
    if (scores.shape.size() != 2 && scores.shape.size() != 3) return {};
    if (std::ranges::count(scores.shape, 0) > 0) return {};
    const std::int64_t inputs = scores.shape[1] * scores.extent(2);
    const std::string given = "concept_scores of " + scores.shape_text();
    if (!concept_head_.empty() && (weight || bias))
      throw std::invalid_argument(concept_head_ + ": concept_head is given, and " +
                                  (weight ? weight : bias)->origin + ", too");
    if (!concept_head_.empty()) return read_layers(concept_head_, inputs, given);
    if (weight.has_value() != bias.has_value())
      throw std::invalid_argument((weight ? weight : bias)->origin +
                                  ": concept_head_weight and concept_head_bias go together");
    if (!weight) return {};
    return {read_layer(*weight, *bias, inputs, given)};
  }

  static formats::Array array_of(const sdk::Matrix& values) {
    const auto kept = std::make_shared<const sdk::Matrix>(values);
    formats::Array out;
    out.shape = {values.rows(), values.cols()};
    out.bytes = {reinterpret_cast<const char*>(kept->data()),
                 static_cast<std::size_t>(kept->size()) * sizeof(double)};
    out.owner = kept;
    out.origin = "the head over the concepts";
    return out;
  }

  static void write_matrix(sdk::Sink& out, const std::string& name, const sdk::Matrix& values) {
    auto to = out.create<double>(name, {values.rows(), values.cols()});
    std::copy(values.data(), values.data() + values.size(), to.begin());
  }

  Sources sources_;
  std::string concept_head_, activation_, pooling_, output_;
};

}  // namespace

CONOSCOPE_MODEL(PrecomputedFiles, "precomputed_files", "1.0.0", R"toml(
summary = "a model of your own from files: a head view, concepts with their head, or codes"
licence = "that of your files"
citation = ""
needs = []
offers = []
seeded = false
)toml",
                kParameters)
